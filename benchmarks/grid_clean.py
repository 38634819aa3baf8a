"""The clean half of the grid: general sentences with nothing in them to protect, to count marks that are false.

Many hold what a rule could take for more: words that are also names, labels of fields without a person behind them,
punctuation, headings, terms of medicine and of computing.
"""

from __future__ import annotations

OPEN = (
    "Will you close the window before you leave?", "May I borrow your pen?", "Mark the right answer with a cross.",
    "Reading is a quiet pleasure.", "She was reading when the rain began.", "It will be fine, we hope.",
    "You may leave whenever you like.", "The hunter lost his way in the wood.", "Grace is a matter of practice.",
    "Name: not given", "Name: unknown", "Patient: stable and comfortable", "Contact: see the notice board",
    "From: time to time", "To: whom it may concern", "Consultant: to be confirmed", "Next of kin: none recorded",
    "Customer: service was slow", "User: error", "Password: required", "Login: failed", "Token: expired",
    "Hi there,", "Hi all,", "Hello everyone, welcome back.", "Dear customer,", "Dear team,", "Thanks for the help.",
    "Thanks again,", "Regards", "Best wishes to all of you.", "The doctor called about the results.",
    "Someone phoned and hung up.", "Nobody called.", "Everybody said no.", "They said it was late.",
    "Paramedics called for help.", "Reception phoned to say that the room was ready.", "It is called a fuse.",
    "He is called a genius by his friends.", "A dish called stew.", "This is important.", "This is it.",
    "I am tired.", "I'm sorry, I can't.", "I'm happy to help.", "He was named best player.",
    "| item | count |", "| apples | many |", "| Total | few |", "| Status | open |", "| paracetamol | twice |",
    "<td>Total</td>", "<b>Note:</b> please wash your hands", "<title>Home page</title>", '<input name="colour" value="red">',
    '{"status": "open", "colour": "red"}', '{"name": "colour", "value": "green"}', '{"title": "Welcome"}',
    '{"password": null, "user": null}', "status=open&sort=ascending", "color=red; size=large", "for i in range(n): print(i)",
    "def main(): return None", "import os, sys", "if x == y then stop", "SELECT colour FROM shapes WHERE size = large;",
    "# Heading", "## How to use it", "**Note:** this is a draft.", "- first point", "* second point",
    "The password must be long.", "Your password has expired; choose a new one.", "I forgot my password again.",
    "An API key is a secret.", "The token is no longer valid.", "Press the key and wait.", "The key is under the mat.",
    "Please use the pin to hold it.", "The ratio is better than before.", "The meeting was moved to the large room.",
    "The letter from the bank arrived.", "We met at the station.", "The family moved away.",
    "No fever, no cough, chest clear.", "Abdomen soft and not tender.", "Reflexes brisk, gait normal.",
    "Plan: bloods, rest, fluids.", "Impression: likely viral.", "Allergies: none known", "Medication: none",
    "BEST BEFORE: SEE LID", "WARNING: HOT SURFACE", "PLEASE READ THE MANUAL", "DO NOT TOUCH", "OPEN THE DOOR SLOWLY",
    "Look at the moon.", "Meet me at noon dot.", "He stopped at the dot on the map.", "good at maths dot com",
    "Turn left at the church.", "A page of notes.", "Rose petals and mint.", "The banks were closed.",
    "The price of bread went up.", "The field was green.", "In winter the lake freezes.", "A king and a queen.",
    "Joy and hope went hand in hand.", "The bill was paid.", "Frank words were said.", "He drew a line.",
    "The stone was rich in iron.", "Jack of all trades.", "The cook burnt the rice.", "The miller's tale.",
    "Its colour is brown.", "What a day!", "Wait... what?", "(see above)", "[sic]", "---", "***", "=====", "a/b testing",
    "and/or", "either/or", "He/she should ask.", "e.g. this, i.e. that", "n/a", "TBC", "etc.", "the ups and downs",
    "one of these", "a couple of things", "some of us", "most people agree", "as soon as possible", "in the long run",
)  # fmt: skip

HELD_OUT = (
    "Can we hope for better weather?", "The art of letting go.", "Summer heat makes everyone slow.", "Chase the ball!",
    "An amber light means wait.", "Sue them if you must.", "Bob the cork up and down.", "The fox ran into the hedge.",
    "Dawn broke over the hills.", "Pat the dog gently.", "Client: not present", "Witness: none", "Signed: no", "Author: unknown",
    "Prepared by hand", "Seen by many", "Guest: list is full", "Resident: parking only", "Hello world", "Hey you,", "Dear all,",
    "Best of luck,", "Yours truly", "Cheers!", "The nurse emailed the ward.", "People wrote back.", "Management said so.",
    "a film named after a river", "an app named after a bird", "Passphrase: too short", "Secret: keep it safe",
    "Password is wrong.", "Session token missing", "account name: required", "usr: not found", "| colour | size | price |",
    "| beans | yes |", "<li>Apples</li>", "<dt>Colour</dt><dd>red</dd>", "{'colour': 'blue', 'size': 'small'}",
    '{"type": "full_name", "label": "Your name"}', "sort=name&order=down", "while true do nothing end",
    "raise ValueError", "git commit and push", "$ ls | sort | head", "_Note_: nothing", "1. Open the lid.",
    "Heart sounds normal, no murmur.", "Wound clean and dry.", "Diet: as tolerated", "Follow up: as needed",
    "KEEP OUT", "EMERGENCY EXIT ONLY", "SALE: EVERYTHING MUST GO", "The winter was mild.", "The mark was rubbed out.",
    "A field of barley.", "The landlord fixed the roof.", "My mother's name is on the list.", "the mother's name was missing",
    "He left at the end.", "Look at this dot pattern.", "at last", "up and running", "now or never", "so and so",
    "Oh well.", "???", "!!!", "<<< >>>", "{}", "[]", "()", "...", "a.k.a.", "vs.", "half of it", "plenty of time",
    "There is nothing wrong.", "The road was wet and the sky grey.", "Cats like milk.", "It works on my machine.",
)  # fmt: skip
