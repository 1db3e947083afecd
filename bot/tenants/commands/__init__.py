"""The operator's commands for tenants: what `scripts/add-tenant` and the scripts beside it do, one module each."""
