/** Outside tools of made-up vendors, with words as long as such servers have them: ten for notes, forty of a browser and a database. */
import { flag, number, oneOf, page, ready, text, texts, tool } from './declare.ts';

export const notebook = ready('notebook', [
  tool(
    'search_notes',
    'Searches all notebooks for notes that match a query. Returns titles and ids, the newest first.',
    { query: text('Words to look for in title and body') },
    { notebook: text('Only notes of this notebook'), limit: number('How many notes to return, at most 50') },
  ),
  tool(
    'read_note',
    'Reads one note as Markdown, with its properties in front.',
    { noteId: text('The id of the note') },
    { includeComments: flag('Whether comments are appended to the body') },
  ),
  tool(
    'create_note',
    'Creates a note in a notebook. The body is Markdown; attachments have to be uploaded before.',
    { notebook: text('The notebook that the note goes to'), title: text('The title of the note') },
    { body: text('The body as Markdown'), tags: texts('Tags of the note') },
  ),
  tool(
    'update_note',
    'Replaces the body of a note, or parts of its properties. Fields that are not given stay.',
    { noteId: text('The id of the note') },
    {
      title: text('The new title'),
      body: text('The new body as Markdown'),
      tags: texts('All tags that the note has from now on'),
    },
  ),
  tool('append_to_note', 'Appends Markdown at the end of a note without reading it.', {
    noteId: text('The id of the note'),
    body: text('What to append'),
  }),
  tool('move_note', 'Moves a note to another notebook and keeps its id.', {
    noteId: text('The id of the note'),
    notebook: text('The notebook that it goes to'),
  }),
  tool('archive_note', 'Archives a note. Archived notes are not found by a search; they can be restored for 30 days.', {
    noteId: text('The id of the note'),
  }),
  tool(
    'list_notebooks',
    'Lists the notebooks that the signed-in user may see.',
    {},
    { includeShared: flag('Whether notebooks that others share are listed') },
  ),
  tool(
    'add_comment',
    'Adds a comment to a note, or answers one.',
    { noteId: text('The id of the note'), body: text('The comment') },
    { replyTo: text('The id of the comment that this one answers') },
  ),
  tool(
    'list_comments',
    'Lists the comments of a note in the order in which they were made.',
    { noteId: text('The id of the note') },
    page,
  ),
]);

const selector = { selector: text('CSS selector or the reference of an element from the newest snapshot') };
const connection = { connection: text('Name of the connection as the settings have it') };

export const browser = ready('browser', [
  ...['navigate', 'open_tab'].map((name) =>
    tool(
      name,
      `${name === 'navigate' ? 'Goes to an address in the current tab' : 'Opens an address in a new tab'} and waits until the page has loaded.`,
      { url: text('The address, with its scheme') },
      {
        waitUntil: oneOf('What counts as loaded', 'load', 'domcontentloaded', 'networkidle'),
        timeout: number('Milliseconds to wait, 30000 by default'),
      },
    ),
  ),
  ...['go_back', 'go_forward', 'reload'].map((name) =>
    tool(
      name,
      `Does what the button "${name.replace('_', ' ')}" of the browser does and waits for the page.`,
      {},
      { timeout: number('Milliseconds to wait, 30000 by default') },
    ),
  ),
  ...['click', 'double_click', 'hover', 'focus', 'scroll_to'].map((name) =>
    tool(
      name,
      `Performs a ${name.replace('_', ' ')} on an element of the page. The element is scrolled into view first.`,
      selector,
      {
        button: oneOf('The button of the mouse', 'left', 'right', 'middle'),
        modifiers: {
          type: 'array',
          items: { type: 'string', enum: ['Alt', 'Control', 'Meta', 'Shift'] },
          description: 'Keys that are held meanwhile',
        },
      },
    ),
  ),
  tool(
    'fill',
    'Fills a field of a form with text and sends the events that typing would.',
    { ...selector, value: text('What goes into the field') },
    {
      submit: flag('Whether Enter is pressed afterwards'),
      slowly: flag('Whether one character is typed after the other'),
    },
  ),
  tool('select_option', 'Selects options of a list.', {
    ...selector,
    values: texts('The options to select, by value or label'),
  }),
  tool('press_key', 'Presses a key or a combination of keys.', {
    key: text('Name of the key, such as ArrowLeft, or a character'),
  }),
  tool('upload_files', 'Gives files to a file input.', { ...selector, paths: texts('Whole paths of the files') }),
  tool(
    'screenshot',
    'Takes a picture of the page or of one element. Use the snapshot to find out what is on the page.',
    {},
    {
      ...selector,
      fullPage: flag('Whether all of the page is taken, not only what is in view'),
      format: oneOf('The format of the picture', 'png', 'jpeg', 'webp'),
      quality: number('Quality of jpeg and webp, 0 to 100'),
    },
  ),
  tool(
    'snapshot',
    'Gives the accessibility tree of the page, with a reference for each element. Better than a screenshot.',
    {},
    { depth: number('How deep the tree goes') },
  ),
  tool(
    'evaluate',
    'Evaluates JavaScript on the page and gives what it returns as JSON.',
    { expression: text('A function or an expression') },
    { ...selector, awaitPromise: flag('Whether a promise is waited for') },
  ),
  tool(
    'console_messages',
    'Gives the messages that the page has written to the console since it was loaded.',
    {},
    { level: oneOf('The least level', 'debug', 'info', 'warning', 'error') },
  ),
  tool(
    'network_requests',
    'Lists the requests of the page since it was loaded, with status and type.',
    {},
    {
      filter: text('Only addresses that contain this'),
      includeStatic: flag('Whether pictures, fonts and styles are listed'),
    },
  ),
  tool(
    'wait_for',
    'Waits until a text is there or gone, or for some time.',
    {},
    {
      text: text('The text that has to appear'),
      textGone: text('The text that has to go away'),
      time: number('Seconds to wait'),
    },
  ),
  tool(
    'close_tab',
    'Closes a tab, the current one by default.',
    {},
    { index: number('The index of the tab in the list') },
  ),
  tool('list_tabs', 'Lists the open tabs with index, title and address.'),
]);

export const database = ready('database', [
  tool(
    'query',
    'Runs a read-only SQL query and returns the rows as JSON. More than 1,000 rows are cut; use LIMIT and OFFSET.',
    { ...connection, sql: text('The query') },
    {
      params: { type: 'array', items: {}, description: 'Values of the placeholders' },
      timeout: number('Seconds after which the query is cancelled'),
    },
  ),
  tool(
    'execute',
    'Runs a statement that changes data, in a transaction of its own. Returns the number of rows.',
    { ...connection, sql: text('The statement') },
    {
      params: { type: 'array', items: {}, description: 'Values of the placeholders' },
      dryRun: flag('Whether the transaction is rolled back at the end'),
    },
  ),
  tool(
    'explain',
    'Explains how a query would be run.',
    { ...connection, sql: text('The query') },
    {
      analyze: flag('Whether the query is run to measure it'),
      format: oneOf('How the plan is written', 'text', 'json', 'yaml'),
    },
  ),
  ...['tables', 'views', 'functions', 'indexes', 'triggers', 'extensions'].map((kind) =>
    tool(`list_${kind}`, `Lists the ${kind} of a schema, with comments and sizes where they are known.`, connection, {
      schema: text('The schema, public by default'),
      pattern: text('Only names that match this LIKE pattern'),
    }),
  ),
  ...['table', 'view', 'function', 'index'].map((kind) =>
    tool(`describe_${kind}`, `Describes one ${kind}: columns or arguments, types, constraints, what depends on it.`, {
      ...connection,
      name: text(`The name of the ${kind}, with its schema`),
    }),
  ),
  tool(
    'sample_rows',
    'Gives some rows of a table, chosen at random, so that one sees what it holds.',
    { ...connection, table: text('The table, with its schema') },
    { rows: number('How many rows, 10 by default'), columns: texts('Only these columns') },
  ),
  tool('column_statistics', 'Gives count, distinct values, nulls and the commonest values of a column.', {
    ...connection,
    table: text('The table, with its schema'),
    column: text('The column'),
  }),
  tool('active_sessions', 'Lists sessions of the database server with what they run and wait for.', connection, {
    minSeconds: number('Only queries that have run for longer'),
  }),
  tool(
    'cancel_query',
    'Cancels what a session of the server runs.',
    { ...connection, pid: number('The id of the server process') },
    { terminate: flag('Whether the session itself is ended') },
  ),
  tool('list_connections', 'Lists the connections that the settings name, without their passwords.'),
]);
