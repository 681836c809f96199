/** The hundred and fifty outside tools of a made-up forge: what each of its things can be asked. */
import { flag, number, oneOf, type Parameters, page, ready, text, texts, tool } from './declare.ts';

const repository = {
  owner: text('The owner of the repository: a user or an organisation'),
  repo: text('The name of the repository'),
};

const things: Readonly<Record<string, readonly [needed: Parameters, fields: Parameters, orders: readonly string[]]>> = {
  issue: [
    { issueNumber: number('The number of the issue') },
    {
      title: text('The title of the issue'),
      body: text('The body as Markdown'),
      labels: texts('Names of labels'),
      assignees: texts('Logins of the people who are to work on it'),
      milestone: number('The number of the milestone'),
    },
    ['created', 'updated', 'comments'],
  ],
  pull_request: [
    { pullNumber: number('The number of the pull request') },
    {
      title: text('The title'),
      body: text('The description as Markdown'),
      head: text('The branch with the changes'),
      base: text('The branch that they go to'),
      draft: flag('Whether it is a draft'),
    },
    ['created', 'updated', 'popularity', 'long-running'],
  ],
  comment: [
    { commentId: number('The id of the comment') },
    { body: text('The comment as Markdown'), inReplyTo: number('The id of the comment that it answers') },
    ['created', 'updated'],
  ],
  review: [
    { pullNumber: number('The number of the pull request'), reviewId: number('The id of the review') },
    {
      body: text('The summary of the review'),
      event: oneOf('What the review says', 'APPROVE', 'REQUEST_CHANGES', 'COMMENT'),
      comments: {
        type: 'array',
        items: {
          type: 'object',
          properties: { path: text('The file'), line: number('The line in the new text'), body: text('The comment') },
          required: ['path', 'line', 'body'],
        },
        description: 'Comments on lines',
      },
    },
    ['created'],
  ],
  branch: [{ branch: text('The name of the branch') }, { fromBranch: text('The branch that it begins at') }, ['name']],
  release: [
    { releaseId: number('The id of the release') },
    {
      tagName: text('The tag of the release'),
      name: text('Its title'),
      body: text('What is new, as Markdown'),
      draft: flag('Whether it is not published yet'),
      prerelease: flag('Whether it is no final release'),
    },
    ['created'],
  ],
  label: [
    { name: text('The name of the label') },
    { color: text('Six hexadecimal digits'), description: text('What it is for') },
    ['name'],
  ],
  milestone: [
    { milestoneNumber: number('The number of the milestone') },
    {
      title: text('The title'),
      description: text('What it holds'),
      dueOn: text('The day on which it is due, ISO 8601'),
    },
    ['due_on', 'completeness'],
  ],
  workflow_run: [
    { runId: number('The id of the run') },
    {
      ref: text('The branch or tag to run for'),
      inputs: { type: 'object', additionalProperties: { type: 'string' }, description: 'Inputs of the workflow' },
    },
    ['created'],
  ],
  deployment: [
    { deploymentId: number('The id of the deployment') },
    {
      ref: text('What is deployed'),
      environment: text('Where to'),
      payload: text('What else the deployment needs, as JSON'),
    },
    ['created'],
  ],
  webhook: [
    { hookId: number('The id of the webhook') },
    {
      url: text('Where events are sent to'),
      events: texts('Names of events'),
      active: flag('Whether events are sent'),
    },
    ['created'],
  ],
  project_item: [
    { itemId: text('The id of the item') },
    {
      projectId: text('The id of the project'),
      contentId: text('The id of the issue or pull request'),
      status: text('The column that it stands in'),
    },
    ['position', 'updated'],
  ],
  discussion: [
    { discussionNumber: number('The number of the discussion') },
    { title: text('The title'), body: text('The text as Markdown'), category: text('The category') },
    ['created', 'updated'],
  ],
  gist: [
    { gistId: text('The id of the gist') },
    {
      description: text('What it is'),
      files: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { content: text('The text') } },
        description: 'Files by name',
      },
      public: flag('Whether everybody may see it'),
    },
    ['created', 'updated'],
  ],
  secret: [
    { secretName: text('The name of the secret') },
    {
      encryptedValue: text('The value, encrypted with the public key of the repository'),
      keyId: text('The id of that key'),
    },
    ['name'],
  ],
};

const words = (name: string) => name.replaceAll('_', ' ');

const each = Object.entries(things).flatMap(([name, [key, fields, orders]]) => [
  tool(
    `list_${name}s`,
    `Lists the ${words(name)}s of a repository. Results come in pages; the header tells whether there are more.`,
    repository,
    {
      state: oneOf('Which of them to list', 'open', 'closed', 'all'),
      sort: oneOf('What they are sorted by', ...orders),
      direction: oneOf('In which order', 'asc', 'desc'),
      ...page,
    },
  ),
  tool(`get_${name}`, `Gets one ${words(name)} of a repository with all of its details.`, { ...repository, ...key }),
  tool(
    `create_${name}`,
    `Creates a ${words(name)} in a repository. Needs the right to write to it.`,
    { ...repository, ...Object.fromEntries(Object.entries(fields).slice(0, 1)) },
    Object.fromEntries(Object.entries(fields).slice(1)),
  ),
  tool(
    `update_${name}`,
    `Changes a ${words(name)}. Fields that are not given stay as they are.`,
    { ...repository, ...key },
    fields,
  ),
  tool(`delete_${name}`, `Deletes a ${words(name)}. This cannot be undone.`, { ...repository, ...key }),
  tool(
    `search_${name}s`,
    `Searches the ${words(name)}s of all repositories with the search syntax of the forge.`,
    { query: text('The query, with qualifiers such as repo:owner/name or is:open') },
    { sort: oneOf('What results are sorted by', ...orders), order: oneOf('In which order', 'asc', 'desc'), ...page },
  ),
  tool(
    `list_${name}_events`,
    `Lists what happened to a ${words(name)}: who changed what and when.`,
    { ...repository, ...key },
    page,
  ),
  tool(
    `lock_${name}`,
    `Locks a ${words(name)}, so that only collaborators may change it.`,
    { ...repository, ...key },
    { lockReason: oneOf('Why it is locked', 'off-topic', 'too heated', 'resolved', 'spam') },
  ),
  tool(
    `subscribe_to_${name}`,
    `Subscribes the signed-in user to a ${words(name)}, or takes the subscription back.`,
    { ...repository, ...key },
    { subscribed: flag('Whether notifications are sent') },
  ),
  tool(`transfer_${name}`, `Transfers a ${words(name)} to another repository of the same owner.`, {
    ...repository,
    ...key,
    newRepo: text('The name of the repository that it goes to'),
  }),
]);

export const forge = ready('forge', each);
