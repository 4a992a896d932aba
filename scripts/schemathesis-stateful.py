"""
For the phase `stateful`: schemathesis takes optional headers that end in `-id` for resources that nothing creates, and would then begin no
sequence with an operation that has them, which are all those of the interface. A project key needs neither of the two.
"""

import schemathesis

HEADERS = {"x-project-id", "x-organization-id"}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    for path in raw_schema["paths"].values():
        for operation in path.values():
            given = operation.get("parameters", [])
            operation["parameters"] = [one for one in given if one.get("name") not in HEADERS]
