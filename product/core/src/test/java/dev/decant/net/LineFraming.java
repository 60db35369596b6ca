package dev.decant.net;

import java.nio.ByteBuffer;

/** Frames that are lines of text with their line feed. The search for the end resumes where it stopped. */
final class LineFraming implements Framing {
  /** Bytes that were searched, to check that none is searched twice. */
  long lookedAt;

  @Override
  public long frameBytes(ByteBuffer in, int from, int scanned, int to) {
    for (int i = scanned; i < to; i++) {
      lookedAt++;
      if (in.get(i) == '\n') {
        return i + 1L - from;
      }
    }
    return UNKNOWN;
  }

  @Override
  public int headerBytes() {
    return 0;
  }
}
