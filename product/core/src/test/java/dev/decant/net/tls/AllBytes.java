package dev.decant.net.tls;

import dev.decant.net.Framing;
import java.nio.ByteBuffer;

/** A framing that makes a frame of all bytes that have arrived. */
enum AllBytes implements Framing {
  INSTANCE;

  @Override
  public long frameBytes(ByteBuffer in, int from, int scanned, int to) {
    return (long) to - from;
  }

  @Override
  public int headerBytes() {
    return 0;
  }
}
