import { expect, test } from '@jest/globals';
import { jsonFaultPlace } from '@zerd/daemon/config/json-place';
import fc from 'fast-check';

test('the place of a fault is found exactly when there is one', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.json().map((text) => text.slice(0, -1)),
      ),
      (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(jsonFaultPlace(text) === undefined).toBe(valid);
      },
    ),
  );
});

test('what stands before the place of a fault can be continued to JSON, and one character more cannot', () => {
  const text = '{"a": [1, 2.5e3, "x\\u00e9", {}, [], null], "b": tru }';
  expect(jsonFaultPlace(text)).toBe(`line 1, column ${text.indexOf('tru') + 1}`);
  expect(jsonFaultPlace('[1,]')).toBe('line 1, column 4');
  expect(jsonFaultPlace('{"a":1} x')).toBe('line 1, column 9');
  expect(jsonFaultPlace('{"a" 1}')).toBe('line 1, column 6');
});
