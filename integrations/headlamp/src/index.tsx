import { registerDetailsViewSection } from "@kinvolk/headlamp-plugin/lib"
import { OwnersSection } from "./owners-section"

registerDetailsViewSection(OwnersSection)
