/** What every view of media is told. */
import type { MediaDescriptor } from "../../../media/descriptor";

/** The media, and how close the person is to seeing it. */
export interface ViewProps {
  media: MediaDescriptor;
  /** It may be fetched. */
  near: boolean;
  /** It may play. */
  active: boolean;
}
