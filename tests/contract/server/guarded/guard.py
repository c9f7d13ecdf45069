from langgraph_sdk import Auth

auth = Auth()
USERS = {"ada-token": "ada", "bob-token": "bob", "eve-token": "eve"}


@auth.authenticate
async def authenticate(authorization: str | None) -> Auth.types.MinimalUserDict:
    name = USERS.get((authorization or "").removeprefix("Bearer "))
    if name is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail="Who are you?")
    return {"identity": name, "permissions": ["read"], "team": "tea"}


@auth.on
async def owned(ctx: Auth.types.AuthContext, value: dict):
    if ctx.user.identity == "eve" and ctx.action == "create":
        return False
    if ctx.action in ("create", "create_run"):
        value.setdefault("metadata", {})["owner"] = ctx.user.identity
    return {"owner": ctx.user.identity}


@auth.on.assistants.read
async def read_assistants(ctx: Auth.types.AuthContext, value: dict):
    return None


@auth.on.threads.delete
async def deleting(ctx: Auth.types.AuthContext, value: dict):
    if ctx.user.identity != "ada":
        raise Auth.exceptions.HTTPException(status_code=403, detail="Only Ada deletes.")
    return {"owner": ctx.user.identity}


@auth.on.store
async def own_space(ctx: Auth.types.AuthContext, value: dict):
    value["namespace"] = (ctx.user.identity, *(value.get("namespace") or ()))
