/** A file as somebody handed it over; its name and stated type are claims. */
export interface NamedFile {
  name: string;
  /** As stated, e.g. by the uploader's browser; empty when nothing was stated. */
  mediaType: string;
  bytes: Uint8Array;
}
