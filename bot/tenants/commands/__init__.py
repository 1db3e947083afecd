"""The operator's commands for tenants: `scripts/add-tenant` and the scripts beside it, one module each."""
