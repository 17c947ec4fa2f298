"""The workspace page: servers, one in detail, savings, recent activity."""
