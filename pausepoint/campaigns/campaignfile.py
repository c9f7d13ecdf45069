"""campaign.yaml: the campaign's uuid, name, description, language and categories."""

from pathlib import Path

from pausepoint.campaigns.fields import Fields, ItemFault, Problems
from pausepoint.campaigns.files import MAX_YAML_BYTES, CampaignFolderError, FileFault, read_text
from pausepoint.campaigns.ids import as_uuid, campaign_uuid, clean
from pausepoint.campaigns.model import CATEGORIES, Campaign, Category
from pausepoint.campaigns.yamlfile import Mapping, Node, Scalar, Sequence, YamlFault, parse

_SPELLINGS = {
    "uuid": ("id", "campaign_uuid"),
    "name": ("title",),
    "description": ("summary",),
    "language": ("lang",),
    "categories": ("artifact_categories",),
}
_CATEGORY_SPELLINGS = {"id": ("key",), "name": ("title",), "description": ()}
_LANGUAGES = {"polish": "pl", "polski": "pl", "english": "en", "angielski": "en"}


def default_categories() -> tuple[Category, ...]:
    """The four categories of a campaign that names none."""
    return tuple(Category(id=name, name=name.capitalize()) for name in CATEGORIES)


def read_campaign(root: Path, problems: Problems) -> Campaign:
    """Read campaign.yaml (or .yml); a folder with only notes is named after itself, with a warning.

    Raises:
        CampaignFolderError: the file is broken, or nothing says this is a campaign folder.
    """
    path = next((p for p in (root / "campaign.yaml", root / "campaign.yml") if p.exists()), None)
    if path is None:
        return _unnamed(root, problems)
    try:
        tree = parse(read_text(root, path, MAX_YAML_BYTES))
        if not isinstance(tree, Mapping):
            raise ItemFault("a mapping with at least a name is expected", 1)
        return _campaign(Fields(tree, _SPELLINGS, path.name, problems))
    except (FileFault, ItemFault, YamlFault) as fault:
        where = f"{path.name}:{fault.line}" if fault.line else path.name
        raise CampaignFolderError(f"{where}: {fault.reason} (in {str(root)!r})") from None


def _unnamed(root: Path, problems: Problems) -> Campaign:
    if not (root / "notes").is_dir():
        raise CampaignFolderError(
            f"{str(root)!r} is no campaign folder: it has no campaign.yaml and no notes/ (docs/formats.md)"
        )
    name = clean(root.resolve().name)[:200] or "Campaign"
    problems.warn("campaign.yaml", None, f"is missing; the campaign is named {name!r} after its folder")
    return Campaign(uuid=campaign_uuid(name), name=name, categories=default_categories())


def _campaign(fields: Fields) -> Campaign:
    name = fields.required("name", 200)
    given = fields.text("uuid", 200)
    uuid = (as_uuid(given) or campaign_uuid(given)) if given else campaign_uuid(name)
    if given and not as_uuid(given):
        fields.problems.warn(
            fields.file, fields.line_of("uuid"), f"{given!r} is no UUID; {uuid} is derived from it"
        )
    language = (fields.text("language", 40) or "en").lower().replace("_", "-")
    return Campaign(
        uuid=uuid,
        name=name,
        description=fields.text("description"),
        language=_LANGUAGES.get(language, language.split("-")[0]),
        categories=_categories(fields) or default_categories(),
    )


def _categories(fields: Fields) -> tuple[Category, ...]:
    value = fields.values.get("categories")
    if isinstance(value, Sequence):
        made = [_category(item, fields) for item in value.items]
    elif isinstance(value, Mapping):  # id: description
        made = [_from_pair(key, item, fields) for key, item in value.entries.items()]
    else:
        made = []
    return tuple({category.id: category for category in made if category}.values())


def _category(item: Node, fields: Fields) -> Category | None:
    if isinstance(item, Mapping):
        inner = Fields(item, _CATEGORY_SPELLINGS, fields.file, fields.problems)
        name = inner.text("name", 200)
        key = inner.text("id", 64) or name[:64]
        if key:
            return Category(id=key, name=name or key.capitalize(), description=inner.text("description"))
    elif isinstance(item, Scalar) and item.text and item.text.strip():
        key = item.text.strip()[:64]
        return Category(id=key, name=key.capitalize())
    fields.problems.add(fields.file, item.line, "a category needs an id or a name")
    return None


def _from_pair(key: str, item: Node, fields: Fields) -> Category | None:
    if not key.strip():
        fields.problems.add(fields.file, item.line, "a category needs an id or a name")
        return None
    text = item.text or "" if isinstance(item, Scalar) else ""
    return Category(id=key.strip()[:64], name=key.strip()[:200].capitalize(), description=text)
