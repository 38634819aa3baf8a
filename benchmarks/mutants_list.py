"""The mutants of benchmarks/mutants.py: for each mistake the promise that it breaks and the tests that notice it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """``search`` becomes ``replace``; it must occur exactly once below src, in whatever file.

    ``tests`` are names of test functions, found in whatever file of tests.
    """

    name: str
    search: str
    replace: str
    breaks: str
    tests: tuple[str, ...]


CALIBRATION = (
    Mutant(
        "santext-factor-two",
        'half = 0.5 * self.epsilon\n        if self.calibration == "paper":',
        'half = self.epsilon\n        if self.calibration == "paper":',
        "the published scale is half of epsilon",
        ("test_paper_calibration_runs_at_the_published_scale",),
    ),
    Mutant(
        "clusant-split",
        "return self.epsilon / 4.0, self.epsilon / (4.0 * sensitivity)",
        "return self.epsilon / 2.0, self.epsilon / (2.0 * sensitivity)",
        "cluster and token inside it share one epsilon",
        ("test_paper_calibration_runs_at_the_published_scale",),
    ),
    Mutant(
        "clusant-sensitivity",
        "sensitivity = max(1.0, farthest * float(geometry.rates.max()))",
        "sensitivity = 1.0",
        "the scale inside a cluster is divided by the largest distance",
        ("test_paper_calibration_runs_at_the_published_scale",),
    ),
    Mutant(
        "custext-factor-two",
        "wanted = np.full(sets, 0.5 * self.epsilon) if paper",
        "wanted = np.full(sets, self.epsilon) if paper",
        "the published scale of a set is half of epsilon",
        ("test_paper_calibration_runs_at_the_published_scale",),
    ),
    Mutant(
        "custext-roomy",
        "roomy = losses(penalties, high) <= target",
        "roomy = losses(penalties, low) <= target",
        "a set runs at epsilon only where its loss there is within epsilon",
        ("test_calibration_comes_close_to_the_claim",),
    ),
    Mutant(
        "set-law-refuses",
        "if not loss <= epsilon:",
        "if not loss <= 2.0 * epsilon:",
        "a law in whole numbers that loses more than epsilon is refused",
        ("test_solver_output_used_unrepaired",),
    ),
    Mutant(
        "set-scale-lowered",
        "if max(map(integer_loss, weights)) <= epsilon:",
        "if max(map(integer_loss, weights)) <= 2.0 * epsilon:",
        "a scale is lowered until the whole numbers are within epsilon",
        ("test_a_scale_is_lowered_where_whole_numbers_lose_more",),
    ),
    Mutant(
        "optimal-lower-bound",
        "guess = min(most, max(1, math.ceil(most * math.exp(-epsilon))))",
        "guess = min(most, max(1, math.ceil(most * math.exp(-0.5 * epsilon))))",
        "an optimal law uses the epsilon that it was given",
        ("test_the_expected_distance_is_the_least_that_the_guarantee_permits",),
    ),
    Mutant(
        "optimal-kept",
        "if largest.any() and programme.weights(largest) is None:",
        "if largest.sum() < 0.0:",
        "a solution from the cache is believed only if it gives a law within epsilon",
        ("test_a_kept_solution_is_believed_only_if_it_gives_a_law",),
    ),
    Mutant(
        "distance-loss-normaliser",
        "loss = scale * min(d, limit) + abs(log_z[i] - log_z_other[j])",
        "loss = scale * min(d, limit)",
        "the exact loss counts the normalisers",
        ("test_distance_loss_is_the_pairwise_loss", "test_law_is_the_formula_and_its_loss_is_within_the_claim"),
    ),
    Mutant(
        "largest-scale-check",
        "if worst.loss <= epsilon:",
        "if worst.loss <= 2.0 * epsilon:",
        "calibration accepts no scale whose loss is above epsilon",
        (
            "test_calibration_meets_epsilon_from_below_in_few_checks",
            "test_calibration_refuses_what_no_scale_can_carry",
        ),
    ),
    Mutant(
        "scale-rounded-up",
        "np.ldexp(np.floor(np.ldexp(mantissas, 32)), exponents - 32)",
        "np.ldexp(np.ceil(np.ldexp(mantissas, 32)), exponents - 32)",
        "a scale is rounded down, never up",
        ("test_scales_are_rounded_down_by_less_than_their_last_digit",),
    ),
    Mutant(
        "tem-threshold",
        "return max(2.0 / self.epsilon * math.log(",
        "return max(1.0 / self.epsilon * math.log(",
        "the threshold of TEM is its paper's",
        ("test_tem_follows_its_papers_threshold",),
    ),
    Mutant(
        "softmax-loss-normaliser",
        "return scale + math.log1p((outcomes - 2) * shrunk / (shrunk + outcomes * math.exp(-scale)))",
        "return scale",
        "the exact loss of the clipped softmax counts its normaliser",
        ("test_the_loss_is_the_maximum_over_all_scores",),
    ),
    Mutant(
        "softmax-rounding",
        "while loss(scale, outcomes) > epsilon:",
        "while loss(scale, outcomes) > 2.0 * epsilon:",
        "the scale of the clipped softmax is rounded down to the budget",
        ("test_calibration_meets_the_budget_and_does_not_pass_it", "test_calibration_at_random_settings"),
    ),
)

LAWS = (
    Mutant(
        "softmax-clip",
        "clipped = np.clip(scores.astype(np.float64), self.clip.lower, self.clip.upper)",
        "clipped = np.minimum(scores.astype(np.float64), self.clip.upper)",
        "scores are clipped at both ends",
        ("test_infinite_and_outlying_scores_are_clipped",),
    ),
    Mutant(
        "tem-truncation",
        "totals[i, b] += np.exp(-scale * min(distances[i, j], limit))",
        "totals[i, b] += np.exp(-scale * distances[i, j])",
        "what is drawn from is the truncated law that was certified",
        ("test_draws_follow_the_law_and_no_other",),
    ),
    Mutant(
        "noise-dimension",
        "lengths = gamma(dimensions, uniforms[:, 0]) / epsilon",
        "lengths = gamma(max(1, dimensions - 1), uniforms[:, 0]) / epsilon",
        "the length of the noise has as many dimensions as the vectors",
        ("test_direction_is_uniform_and_length_is_gamma",),
    ),
    Mutant(
        "noise-shared",
        "pair, apart = self.nearest(self.noisy(tokens, given[:, :-1]), 2)",
        "pair, apart = self.nearest(self.noisy(tokens, given[:1, :-1]), 2)",
        "every place has noise of its own",
        ("test_one_noise_vector_for_all_positions", "test_draws_are_tokens_and_need_no_more_than_their_own_uniforms"),
    ),
    Mutant(
        "vickrey-weights",
        "first, second = self.second_weight * apart[:, 0], (1.0 - self.second_weight) * apart[:, 1]",
        "first, second = (1.0 - self.second_weight) * apart[:, 0], self.second_weight * apart[:, 1]",
        "the second price has the weight that the statement names",
        ("test_vickrey_with_no_second_weight_is_fbdd",),
    ),
    Mutant(
        "santext-plus-keeps",
        "keep = ~self._is_sensitive[tokens] & (given[:, 2] > self.replace_probability)",
        "keep = given[:, 2] > self.replace_probability",
        "a sensitive word is never kept",
        ("test_santext_plus_keeps_words_with_the_probability_it_says", "test_draws_follow_the_law_and_no_other"),
    ),
    Mutant(
        "custext-plus-free",
        "return self._index[tokens] >= 0",
        "return self._index[tokens] > 0",
        "stop words alone cost nothing",
        ("test_custext_plus_keeps_stop_words_free_and_protects_the_rest", "test_kept_stop_words_cost_nothing"),
    ),
    Mutant(
        "unknown-word",
        "projected = dict.fromkeys(strangers, self._surrogate)",
        "projected = dict.fromkeys(strangers, vocabulary.medoid())",
        "an unknown word becomes a token that the guarantee covers",
        ("test_unknown_words_never_become_words_that_are_kept",),
    ),
)

DRAWS = (
    Mutant(
        "sampler-order",
        "ascending = np.argsort(weights[i])",
        "ascending = np.arange(len(weights[i]))",
        "a rare outcome keeps its digits in the sampler's table",
        (
            "test_rare_outcomes_are_drawn_exactly_at_their_boundaries",
            "test_cumulative_sums_are_right_to_the_error_of_a_draw",
        ),
    ),
    Mutant(
        "uniform-resolution",
        "out[i, j] = (np.float64(words[i, j]) + low * 2.0**-64) * 2.0**-64",
        "out[i, j] = (np.float64(words[i, j]) + 0.5) * 2.0**-64",
        "a uniform number has 53 bits at every magnitude",
        ("test_uniforms_have_their_whole_exponent",),
    ),
    Mutant(
        "resolution-limit",
        "LOG_RESOLUTION = -650.0",
        "LOG_RESOLUTION = -745.0",
        "a law whose smallest weight loses digits is refused",
        ("test_a_weight_at_the_limit_keeps_all_of_its_digits", "test_resolution_is_refused_below_the_limit"),
    ),
    Mutant(
        "key-names",
        "return [context(setting, context(*document.names), digest) for document, digest in rows]",
        "return [context(setting, digest) for _, digest in rows]",
        "a keyed draw depends on field and record",
        ("test_two_fields_share_no_draw", "test_pinned_draws_depend_on_key_record_and_place"),
    ),
    Mutant(
        "key-class",
        "return [origin(type(mechanism)), mechanism.parameters,",
        "return [mechanism.name, mechanism.parameters,",
        "two classes never share a keyed draw, whatever their names are",
        ("test_two_classes_of_one_name_share_no_draw",),
    ),
    Mutant(
        "borrowed-name",
        "if row.family in (TOKENS, CONTEXTUAL, HEURISTICS, SYNTHESIS) and called != name:",
        "if False:",
        "the method of another package has no name but its own",
        ("test_a_class_that_is_not_what_it_stands_for_is_refused",),
    ),
    Mutant(
        "key-marks",
        "return [context(setting, context(*document.names), digest) for document, digest in rows]",
        "return [context(setting, context(*document.names)) for document, _ in rows]",
        "a keyed draw depends on the whole sequence of marked tokens",
        ("test_an_edited_word_draws_the_whole_text_afresh",),
    ),
    Mutant(
        "key-spans",
        "marked = context(layout.text, *edges, *layout.labels)",
        "marked = context(layout.text)",
        "a keyed draw of a rewriting depends on what is marked",
        (
            "test_rewriting_and_redaction_are_keyed_on_field_detector_and_text",
            "test_a_rewriting_is_keyed_on_everything_that_is_marked",
        ),
    ),
    Mutant(
        "context-lengths",
        'joined += [kind, len(content).to_bytes(8, "little"), content]',
        "joined += [kind, content]",
        "no two lists of parts make one context",
        ("test_parts_of_a_context_are_joined_injectively", "test_contexts_differ_wherever_their_parts_do"),
    ),
    Mutant(
        "hash-lengths",
        'message += len(encoded).to_bytes(8, "little") + encoded',
        "message += encoded",
        "no two lists of parts make one pseudonym or hash",
        ("test_a_hash_is_the_keyed_one_and_says_nothing_without_the_key",),
    ),
)

CLAIMS = (
    Mutant(
        "kept-vocabulary",
        ' or kept["vocabulary"] != vocabulary',
        "",
        "a kept certificate of another vocabulary is not believed",
        ("test_a_kept_certificate_of_another_vocabulary_is_not_believed",),
    ),
    Mutant(
        "checker-vocabulary",
        'if vocabulary.hash != stated["hash"]:',
        "if False:",
        "a statement about another vocabulary does not agree",
        ("test_another_vocabulary_is_found",),
    ),
    Mutant(
        "checker-tolerance",
        "TOLERANCE, ROUNDING = 1e-7,",
        "TOLERANCE, ROUNDING = 1e-1,",
        "a scale that is 1 % larger than stated is found",
        ("test_a_lie_is_found",),
    ),
    Mutant(
        "checker-claim",
        "if not 0.0 <= certified <= claimed:",
        "if not 0.0 <= certified:",
        "a stated loss above the claim does not agree",
        ("test_a_lie_is_found",),
    ),
    Mutant(
        "checker-first-step",
        "coarse = between[self.cluster[place]][self.cluster] + 2.0 *",
        "coarse = between[self.cluster[place]][self.cluster] + 1.0 *",
        "no pair is left out of all pairs",
        ("test_no_pair_above_a_floor_is_left_out",),
    ),
    Mutant(
        "checker-no-number",
        "np.flatnonzero(~((coarse <= floor * metric) & (metric < math.inf)))",
        "np.flatnonzero(coarse > floor * metric)",
        "a loss that is no number does not agree",
        ("test_what_is_no_number_is_no_agreement",),
    ),
    Mutant(
        "checker-profile",
        "whole and falling else math.inf",
        "whole or falling else math.inf",
        "a profile that is no law has no finite loss",
        ("test_a_law_by_rank_costs_first_over_last",),
    ),
    Mutant(
        "budget-division",
        "part = self.budget / draws\n        while part * draws > self.budget:",
        "part = self.budget / max(1, draws - 1)\n        while part > self.budget:",
        "all draws of a document together cost its budget",
        ("test_a_document_budget_is_split_over_its_draws", "test_every_document_spends_its_own_budget"),
    ),
    Mutant(
        "budget-rounding",
        "while part * draws > self.budget:",
        "while part * draws > 2.0 * self.budget:",
        "the shares of a budget do not add up to more by rounding",
        ("test_the_shares_of_a_budget_do_not_add_up_to_more",),
    ),
    Mutant(
        "uncharged-draw",
        "if self.made >= self.charged:",
        "if self.made > self.charged:",
        "a mechanism cannot draw more often than it is charged for",
        ("test_a_mechanism_that_draws_more_than_it_charges_is_caught",),
    ),
    Mutant(
        "composition-delta",
        "return min(DELTA, 0.1 / max(1, records))",
        "return min(DELTA, 10.0 / max(1, records))",
        "delta stays below one over the number of records",
        ("test_delta_follows_the_number_of_records",),
    ),
    Mutant(
        "composition-rho",
        "rho = min(0.5 * guarantee.epsilon**2,",
        "rho = min(0.125 * guarantee.epsilon**2,",
        "an epsilon-DP draw is epsilon squared over two zCDP, no less",
        ("test_pure_adds_and_zcdp_lies_between_its_bounds", "test_composition_against_numbers_found_otherwise"),
    ),
    Mutant(
        "renyi-pairs",
        "pair = sums.argmax(axis=1)",
        "pair = sums[:, ::7].argmax(axis=1) * 7",
        "a Rényi curve is the maximum over all pairs",
        ("test_the_curve_is_the_largest_divergence_over_all_pairs",),
    ),
    Mutant(
        "renyi-rounding",
        "divergences = np.maximum(logarithms + 2.0**-49 * reach, 0.0) / step",
        "divergences = np.maximum(logarithms - 2.0**-49 * reach, 0.0) / step",
        "a Rényi curve is rounded up",
        ("test_the_curve_is_the_largest_divergence_over_all_pairs",),
    ),
    Mutant(
        "renyi-conversion",
        "- (math.log(delta) + np.log(orders)) / steps",
        "- (0.5 * math.log(delta) + np.log(orders)) / steps",
        "a composed curve turns into (ε, δ) by the published conversion",
        ("test_the_conversion_is_that_of_dp_accounting",),
    ),
    Mutant(
        "renyi-kept-pair",
        "return curve if np.allclose(curve, again, rtol=_REPEATED, atol=_ROUNDING) else None",
        "return curve",
        "a kept curve is believed only where its pairs give it again",
        ("test_an_edited_curve_is_refused",),
    ),
    Mutant(
        "renyi-kept-claim",
        'if {name: content[name] for name in ("claimed", "certified", "scale")} != _claim(mechanism):',
        "if not content:",
        "a kept curve is believed only for its claim and scale",
        ("test_an_edited_curve_is_refused",),
    ),
    Mutant(
        "people-missing",
        "            check_people(documents, self.subject_field)\n",
        "            pass\n",
        "a record that names nobody is refused",
        ("test_a_record_that_names_nobody_is_refused_with_its_place",),
    ),
    Mutant(
        "certificate-claim",
        "return finite and 0.0 <= certificate.certified <= certificate.claimed * (1.0 + 1e-12)",
        "return finite and 0.0 <= certificate.certified",
        "no certificate above its claim is believed",
        ("test_a_certificate_above_its_claim_is_never_believed",),
    ),
    Mutant(
        "certificate-repeat",
        "<= loss <= kept.certified * (1.0 + _REPEATED)",
        "<= loss",
        "a kept certificate that understates the loss is not believed",
        ("test_a_kept_certificate_is_not_believed_where_it_does_not_hold",),
    ),
    Mutant(
        "certificate-comparison",
        "same = kept.claimed == mechanism.epsilon and",
        "same = kept.claimed >= mechanism.epsilon and",
        "a kept certificate is believed for its own epsilon only",
        ("test_a_kept_certificate_is_not_believed_where_it_does_not_hold",),
    ),
    Mutant(
        "guarantee-text",
        'return f" per unit of {self.distance} distance" if self.distance else ""',
        'return ""',
        "a metric guarantee is told per unit of its distance",
        ("test_guarantee_and_certificate_agree",),
    ),
    Mutant(
        "not-private",
        'return f"NOT PRIVATE (a seeded run, for tests): {text}"',
        "return text",
        "a seeded run says that it is not private",
        ("test_the_statement_is_json_and_holds_no_private_token",),
    ),
)

TEXTS = (
    Mutant(
        "occurrences-removal",
        "traces += _touched(known, release)",
        "traces += []",
        "no marked text appears in a release, nor across a seam",
        ("test_no_marked_text_appears_across_a_seam", "test_what_cannot_be_removed_is_an_error_and_holds_no_text"),
    ),
    Mutant(
        "occurrences-accents",
        'return "".join(letter for letter in plain if unicodedata.combining(letter) < _ACCENT)',
        "return plain",
        "a marked text is found with other accents",
        ("test_every_spelling_is_found_and_nothing_else", "test_no_spelling_of_a_marked_text_stands"),
    ),
    Mutant(
        "occurrences-fields",
        "layouts = [self._carried(layout, marked) for layout in self.layouts]",
        "layouts = [self._carried(self.layouts[0], marked), *self.layouts[1:]]",
        "what is marked in one field is marked in the others",
        ("test_fields_of_a_record_are_one_text",),
    ),
    Mutant(
        "map-nonce",
        'return struct.pack("<QxxxB", number, last)',
        'return struct.pack("<QxxxB", 0, last)',
        "no two frames of a map share a nonce",
        ("test_frames_cannot_be_left_out_or_change_places",),
    ),
    Mutant(
        "map-salt",
        'HKDF(SHA256(), 32, salt, b"sfumato map")',
        'HKDF(SHA256(), 32, bytes(_SALT), b"sfumato map")',
        "two maps under one secret have keys of their own",
        ("test_two_maps_under_one_secret_have_keys_of_their_own",),
    ),
    Mutant(
        "private-copy",
        "or any(_same(file, path, source) for file in _files(secret))",
        "",
        "a vocabulary that is a copy of the private input is refused",
        ("test_vocabulary_taken_from_the_private_text", "test_a_release_refuses_a_vocabulary_made_of_its_input"),
    ),
    Mutant(
        "spans-of-another-field",
        "if files.spans_field not in (None, spans_field):",
        "if False:",
        "no release holds the spans of the original",
        ("test_the_field_that_is_read_is_the_field_that_is_replaced",),
    ),
    Mutant(
        "cut-off-part",
        'complete = self._path(number, "part").stat().st_size == counts.size',
        "complete = True",
        "a resumed run makes a part that was cut off again",
        ("test_a_cut_off_part_is_made_again",),
    ),
    Mutant(
        "parts-of-another-run",
        "if not self._mine:",
        "if False:",
        "a resumed run takes no part of another run",
        ("test_resume_refuses_the_parts_of_another_run", "test_resume_refuses_the_parts_of_another_version"),
    ),
    Mutant(
        "error-quotes",
        'f"{who} failed with {type(error).__name__} between',
        'f"{who} failed with {error!r} between',
        "no error holds private text",
        ("test_a_failing_sanitizer_fails_closed", "test_an_error_takes_nothing_private_along"),
    ),
    Mutant(
        "cache-seal",
        "if not _same(data[-_SEAL:], _sealed(secret, key, data[:-_SEAL])):",
        "if len(data) < _SEAL:",
        "a kept certificate was made by this user",
        ("test_an_entry_comes_back_and_a_forged_one_counts_as_absent",),
    ),
    Mutant(
        "cache-seal-name",
        "return hashlib.blake2b(key.encode(), key=secret, digest_size=_SEAL,",
        'return hashlib.blake2b(b"", key=secret, digest_size=_SEAL,',
        "an entry of the cache is believed under its own name only",
        ("test_an_entry_under_the_name_of_another_is_not_believed",),
    ),
)

VOTES = (
    Mutant(
        "integer-noise-zero",
        "if size or not negative:",
        "if size or negative is not None:",
        "integer noise is drawn exactly: 0 comes once, not twice as often",
        ("test_integer_noise_follows_its_law_and_no_other",),
    ),
    Mutant(
        "integer-noise-rejection",
        "(abs(drawn) - variance / scale) ** 2 / (2 * variance)",
        "drawn**2 / (2 * variance)",
        "integer noise is Gaussian after the rejection",
        ("test_integer_noise_follows_its_law_and_no_other",),
    ),
    Mutant(
        "evolve-norm",
        "isqrt(WHOLE * WHOLE * count * count // squares)",
        "WHOLE * count",
        "a person with many texts has one vote",
        ("test_one_unit_more_or_less_moves_the_votes_by_one_vote_at_most",),
    ),
    Mutant(
        "evolve-noise",
        "None if self.sigma is None else (Fraction(self.sigma) * WHOLE) ** 2",
        "None if self.sigma is None else Fraction(self.sigma) ** 2",
        "the noise of a count is that of a whole vote",
        ("test_every_count_has_the_claimed_noise",),
    ),
    Mutant(
        "evolve-kept-first",
        "run.kept.keep(name, drawn.tolist())",
        "pass",
        "noisy votes are on the disk before anything looks at them",
        ("test_votes_are_kept_before_anything_looks_at_them",),
    ),
    Mutant(
        "evolve-redraw",
        'if not isinstance(kept, dict) or kept.get("run") != self.mark:',
        "if False:",
        "a run does not resume with what another one kept",
        ("test_a_run_with_other_settings_does_not_resume",),
    ),
)

SYNTHESIS = (
    Mutant(
        "synthesis-draw-twice",
        "if (content := self.kept(name)) is None:",
        "if True:",
        "what was drawn is not drawn again on resuming",
        ("test_what_was_drawn_is_not_drawn_again", "test_a_stopped_run_goes_on_and_pays_nothing_twice"),
    ),
    Mutant(
        "synthesis-codes-unpaid",
        "return (*self.order.spent, *self.schedule.events)",
        "return self.schedule.events",
        "counts of codes are part of what a run costs",
        ("test_codes_are_declared_or_found_and_a_rare_value_becomes_other",),
    ),
    Mutant(
        "synthesis-threshold",
        "return 1.0 - sigma * float(ndtri(delta))",
        "return -sigma * float(ndtri(delta))",
        "a value that one unit has is found with probability delta at most",
        ("test_a_value_of_one_unit_is_found_no_more_often_than_delta_says",),
    ),
    Mutant(
        "synthesis-votes-of-codes",
        "counts[code] += 1.0 / len(unit.codes)",
        "counts[code] += 1.0",
        "a person with many records counts once among the codes",
        ("test_one_unit_moves_the_counts_by_one_at_most",),
    ),
    Mutant(
        "synthesis-sampling-rate",
        "dp_accounting.PoissonSampledDpEvent(event.rate, noise)",
        "dp_accounting.PoissonSampledDpEvent(0.5 * event.rate, noise)",
        "the accountant knows how often a unit is sampled",
        ("test_sampled_releases_agree_with_another_accountant",),
    ),
    Mutant(
        "synthesis-other-codes",
        "value if value in values else OTHER",
        "value if value in values else values[0]",
        "what is not declared becomes another code",
        ("test_every_record_has_a_code_and_what_is_not_declared_is_other",),
    ),
)

PREDICTION = (
    Mutant(
        "predict-divisor",
        "moved.sum(axis=0) / self.group_size",
        "moved.sum(axis=0) / max(1, len(moved))",
        "a sum is divided by the fixed group size, not by the number of members",
        ("test_texts_are_as_close_as_claimed",),
    ),
    Mutant(
        "predict-clip",
        "moved = np.clip(moved, -self.clip, self.clip)",
        "moved = np.clip(moved, -2.0 * self.clip, 2.0 * self.clip)",
        "what one member adds is clipped",
        ("test_texts_are_as_close_as_claimed",),
    ),
    Mutant(
        "predict-length",
        "Concentrated(law.rho, texts * length)",
        "Concentrated(law.rho, length)",
        "every token that a group may write is paid for",
        ("test_the_budget_holds_and_groups_are_as_small_as_it_allows",),
    ),
    Mutant(
        "predict-membership",
        "            kept.keep_membership(membership)\n",
        "",
        "a resumed run keeps every unit in its group",
        ("test_a_stopped_run_resumes",),
    ),
)

ATTACKS = (
    Mutant(
        "one-run-delta",
        "return min(1.0, tail + 2.0 * canaries * delta * steepest)",
        "return min(1.0, tail)",
        "the bound of an audit in one run is valid where delta is claimed",
        ("test_the_p_value_is_the_sum_of_the_theorem_by_brute_force",),
    ),
    Mutant(
        "one-run-doubt",
        "return 1.0 - (1.0 - self.confidence) / len(self.outcomes)",
        "return self.confidence",
        "several numbers of guesses share the doubt of an audit",
        ("test_several_numbers_of_guesses_share_the_doubt",),
    ),
    Mutant(
        "held-out-ids",
        "if shared_ids:",
        "if False:",
        "a member is not taken for somebody held out of training",
        ("test_members_are_not_taken_for_people_held_out",),
    ),
    Mutant(
        "copies-short",
        "able = sizes >= length",
        "able = sizes >= 0",
        "a record too short for a copied run does not count as private",
        ("test_short_records_are_left_out_of_rates_and_not_counted_as_private",),
    ),
)

TRAINING = (
    Mutant(
        "finetune-divisor",
        "self._update(self._noisy(self.sum_of(sampled)) / self.recipe.batch)",
        "self._update(self._noisy(self.sum_of(sampled)) / max(1, len(sampled)))",
        "a step divides by the declared batch, never by how many it sampled",
        ("test_its_deviation_is_sigma_times_clip_over_the_declared_batch",),
    ),
    Mutant(
        "finetune-noise",
        "deviation = self.recipe.sigma * self.recipe.clip",
        "deviation = self.recipe.sigma * self.recipe.clip / 8",
        "the noise of a step has the deviation that is paid for",
        ("test_its_deviation_is_sigma_times_clip_over_the_declared_batch",),
    ),
    Mutant(
        "finetune-same-noise",
        'self.workspace.uniforms("finetune: noise", self.done, len(total))',
        'self.workspace.uniforms("finetune: noise", 0, len(total))',
        "no two steps share noise",
        ("test_steps_share_no_noise",),
    ),
    Mutant(
        "finetune-coins",
        "np.flatnonzero(bernoulli(coins, self.recipe.rate))",
        "np.argsort(coins)[: self.recipe.batch]",
        "each unit has a coin of its own, as the accountant supposes",
        ("test_each_unit_has_a_coin_of_its_own",),
    ),
    Mutant(
        "finetune-clip",
        "factors = torch.clamp(bound * _BELOW / norms, max=1.0)",
        "factors = torch.clamp(bound * _BELOW / norms, max=1.0) * 0 + 1",
        "no unit adds more than the bound",
        ("test_one_unit_adds_at_most_the_clip",),
    ),
    Mutant(
        "finetune-rounding",
        "_BELOW = 1.0 - 2.0**-21",
        "_BELOW = 1.0 + 2.0**-21",
        "no unit adds more than the bound, rounding included",
        ("test_no_row_adds_more_than_the_bound",),
    ),
    Mutant(
        "finetune-odd-gradient",
        "gradients[unusable] = 0.0",
        "pass",
        "a gradient that is no number adds nothing",
        ("test_a_gradient_that_is_no_number_adds_nothing_and_the_step_goes_on",),
    ),
    Mutant(
        "finetune-person",
        "weights = [1.0 / (len(row.learned) * len(group[owner]))",
        "weights = [1.0 / len(row.learned)",
        "a person's gradient is the mean over the texts",
        ("test_a_person_is_clipped_as_one",),
    ),
    Mutant(
        "finetune-code-learned",
        "targets[number, len(row.before) - 1 : len(pieces) - 1] = row.learned",
        "targets[number, : len(pieces) - 1] = pieces[1:]",
        "a control code is read and never learned",
        ("test_the_code_is_read_and_not_learned",),
    ),
    Mutant(
        "finetune-other-input",
        'digest.update(len(content).to_bytes(8, "little") + content)',
        "pass",
        "a training does not resume on other records",
        ("test_another_run_is_not_resumed",),
    ),
)

MUTANTS = (*CALIBRATION, *LAWS, *DRAWS, *CLAIMS, *TEXTS, *SYNTHESIS, *VOTES, *PREDICTION, *TRAINING, *ATTACKS)
