/** The images of a list of content parts, as the view has them. */
import { objectsOf } from '../wire.ts';
import { imageOf } from './image.ts';
import type { ViewPart } from './request-view.ts';

export function imagesIn(content: unknown): readonly ViewPart[] {
  return objectsOf(content).flatMap((part): readonly ViewPart[] => {
    const image = imageOf(part);
    return image === undefined ? [] : [{ kind: 'image', ...image }];
  });
}
