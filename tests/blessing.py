"""What ISOSHARD_BLESS=1 must not change: the decisions in an output, which only a person may rewrite."""

import re

VERDICT = re.compile(r"^(?:EQUAL as formulas, BUT|EQUAL|NOT EQUAL|NOT REFUTED|COULD NOT DECIDE|DOES NOT HOLD|BAD INPUT|DEADLOCK|RACE)")
RULE = re.compile(r"\[[A-Z]-[a-z0-9-]+\]$")


def decisions(lines):
    """The verdicts at the beginning of lines and the rule ids at their ends, in order."""
    found = []
    for line in lines:
        found += VERDICT.findall(line) + RULE.findall(line)
    return found


def refusal(before, after):
    """Why lines may not be replaced; nothing where they may. Lines that are not there yet decide nothing."""
    if not before or decisions(before) == decisions(after):
        return None
    return (f"ISOSHARD_BLESS=1 changes no verdict and no rule: {decisions(before)} would be {decisions(after)}; "
            "write what is right by hand")
