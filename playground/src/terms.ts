// The texts that explain the page: the hints of the tour, and the terms of each part.

/** The parts of the page that have a hint. Their style sheet is tour.css. */
export interface Hint {
  readonly part: "managers" | "live" | "insight" | "timeline" | "share"
  readonly title: string
  readonly text: string
}

export const hints: readonly Hint[] = [
  {
    part: "managers",
    title: "Managers",
    text: "Each tab is a field manager: a person or program that writes objects. Edit its text, then click Apply to send it.",
  },
  {
    part: "live",
    title: "Live object",
    text: "This is the object as the server stores it. The marks to the left of a line show the managers that own it.",
  },
  {
    part: "insight",
    title: "Conflict",
    text: "This pane previews the open tab's request. An apply that changes a field of another owner is a conflict, and each button is a way out.",
  },
  {
    part: "timeline",
    title: "Time line",
    text: "Each request becomes a step. Return to any step to see the object at that time, or continue from there in a new branch.",
  },
  {
    part: "share",
    title: "Share it",
    text: "Share copies the story: as a link that contains it, as commands of kubectl, or as a test. Download saves a file that smd simulate can run.",
  },
]

/** A term of the page, and its explanation in a sentence or two. */
export type Term = readonly [term: string, explanation: string]

/** The terms of each part of the page. */
export const terms = {
  setup: [
    [
      "Unions",
      'A union is a group of fields that exclude each other, such as the sources of a volume. The setting chooses the rules that keep only one of them. Clusters have no such rules today (off). With "custom kinds only", the rules hold only for the kinds that you add.',
    ],
    [
      "Server",
      "Like a cluster: requests get the defaults, the validation and the admission of an API server. Merge only: objects are merged and have owners and conflicts, and nothing else.",
    ],
    [
      "Types",
      "The kinds of objects that the page knows, and how their lists and maps are merged. Click to add your own CustomResourceDefinitions, OpenAPI documents or Go types.",
    ],
  ],
  managers: [
    [
      "Manager",
      "A person or program that writes objects, such as kubectl, Helm or an autoscaler. The API server records the fields that each one owns.",
    ],
    [
      "Apply",
      "Sends the fields that the manager wants to decide. The server merges them into the object, and removes fields that only this manager owned and that its text no longer has.",
    ],
    [
      "Update, patch",
      "An update replaces the whole object; a patch changes some of its fields. Neither can have conflicts: the manager takes over each field that it changes.",
    ],
    ["Create", "Makes a new object. The server refuses it if the object exists."],
    [
      "Subresource",
      "A part of an object with an address of its own: controllers write status, and autoscalers write scale.",
    ],
    ["Force", "Takes the fields in conflict from their owners. Without it, an apply with a conflict changes nothing."],
  ],
  live: [
    [
      "Owner",
      "A manager that set the field, and has not given it up. Other managers can't apply another value to it without a conflict.",
    ],
    [
      "Several owners",
      "Managers that apply the same value own the field together. It stays until the last of them drops it from its text.",
    ],
    ["No owner", "No manager owns the line: it is a default of the server, or names the object."],
    ["Yellow line", "The chosen step changed it."],
    ["Red line", "The request in the open tab would have a conflict here."],
    ["✎", "A person changed the field by hand, as with kubectl edit."],
  ],
  insight: [
    ["Next", "The effect that the request in the open tab would have if you sent it now."],
    ["This step", "The effect of the step that is chosen in the time line."],
    ["All owners", "A table of all fields and the managers that own them."],
    [
      "Conflict",
      "An apply would change a field that another manager owns. The server refuses the whole request unless it has force.",
    ],
    [
      "Leave it, agree, force",
      "The three ways out of a conflict: drop the field from your text, use the value of the live object, or take the field from its owner.",
    ],
    ["safe, unsure", "A safe way has no surprises. For the others, read the reason first."],
  ],
  timeline: [
    ["Step", "One request, with its outcome below it. Dashed steps are still ahead: they have not been played."],
    [
      "Conflict, refused",
      "The request changed nothing: another manager owned one of its fields, or the object would not have been valid.",
    ],
    [
      "New branch",
      "Continues from the chosen step in a copy of the story. The branch before it keeps its later steps.",
    ],
  ],
} as const satisfies Readonly<Record<string, readonly Term[]>>
