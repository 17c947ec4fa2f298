"""Values and rules without I/O: ids, servers, tools, permissions, activity, errors. Imports
nothing of ours.
"""
