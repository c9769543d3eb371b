"""The independent witness: recomputes from frames what the rest of the package promised.

It shares no code with search, criteria, columns or policy. Of ours it imports only errors, io and the hierarchy file
reader, so that a mistake made there is not made here again.
"""
