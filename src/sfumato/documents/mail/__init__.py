"""Mail, mailboxes and messages of Outlook."""
