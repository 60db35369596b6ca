package dev.decant.net;

import dev.decant.loop.EventLoop;
import dev.decant.loop.ReadyListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A toy of encryption over another transport: a handshake in which both sides read and write and one side works on
 * another thread; bytes that wait in records, decoded or not; an end that differs from a truncation.
 *
 * <pre>
 *   client: key (8)   -&gt;
 *                     &lt;- key (8)   (made on another thread)
 *   ready (1)         -&gt;
 *   record: length (2), bytes, each XORed with the sender's key; length 0 ends the stream
 * </pre>
 */
final class VeiledTransport implements Transport {
  private static final int KEY_BYTES = 8;
  private static final int MOST_IN_RECORD = 1_000;

  private enum Stage {
    CONNECTING, SENDS_KEY, AWAITS_KEY, MAKES_KEY, SENDS_READY, AWAITS_READY, ESTABLISHED
  }

  private final Transport below;
  private final boolean client;
  private final Random random;
  private final byte[] ownKey = new byte[KEY_BYTES];
  private final byte[] peerKey = new byte[KEY_BYTES];
  private final ByteBuffer in = ByteBuffer.allocateDirect(4 * MOST_IN_RECORD);
  private final ByteBuffer out = ByteBuffer.allocateDirect(2 * MOST_IN_RECORD);
  private final ByteBuffer plain = ByteBuffer.allocate(MOST_IN_RECORD).limit(0);
  private Stage stage = Stage.CONNECTING;
  private @Nullable EventLoop loop;
  private @Nullable ReadyListener listener;
  private boolean ended;
  private boolean endIsQueued;
  private boolean endIsTold;
  private boolean closed;
  private int sealed;
  private int opened;

  VeiledTransport(Transport below, boolean client, long seed) {
    this.below = below;
    this.client = client;
    this.random = new Random(seed);
    random.nextBytes(ownKey);
  }

  @Override
  public void register(EventLoop ownLoop, ReadyListener user) throws IOException {
    loop = ownLoop;
    listener = user;
    below.register(ownLoop, user);
  }

  @Override
  public boolean establish() throws IOException {
    while (stage != Stage.ESTABLISHED) {
      if (stage != Stage.CONNECTING && stage != Stage.MAKES_KEY) {
        boolean written = flushOut();
        below.reportWritable(!written);
        if (!written) {
          return false;
        }
      }
      if (!advance()) {
        return false;
      }
    }
    return true;
  }

  private boolean advance() throws IOException {
    switch (stage) {
      case CONNECTING -> {
        if (!below.establish()) {
          return false;
        }
        stage = client ? Stage.SENDS_KEY : Stage.AWAITS_KEY;
      }
      case SENDS_KEY -> {
        out.put(ownKey);
        stage = client ? Stage.AWAITS_KEY : Stage.AWAITS_READY;
      }
      case AWAITS_KEY -> {
        if (!fill(KEY_BYTES)) {
          return false;
        }
        in.flip().get(peerKey);
        in.compact();
        if (client) {
          out.put((byte) 1);
          stage = Stage.SENDS_READY;
        } else {
          stage = Stage.MAKES_KEY;
          makeKey();
          return false;
        }
      }
      case MAKES_KEY -> {
        return false; // the other thread reports
      }
      case SENDS_READY -> stage = Stage.ESTABLISHED; // the message is flushed
      case AWAITS_READY -> {
        if (!fill(1)) {
          return false;
        }
        in.flip().get();
        in.compact();
        stage = Stage.ESTABLISHED;
      }
      case ESTABLISHED -> throw new IllegalStateException("established already");
    }
    return true;
  }

  private void makeKey() {
    EventLoop owned = Objects.requireNonNull(loop);
    ReadyListener user = Objects.requireNonNull(listener);
    Thread.ofVirtual().start(() -> owned.execute(() -> {
      if (!closed) {
        stage = Stage.SENDS_KEY;
        user.onReady(0);
      }
    }));
  }

  /** Reads until this number of bytes is in the buffer. */
  private boolean fill(int bytes) throws IOException {
    while (in.position() < bytes) {
      int read = below.read(in);
      if (read < 0) {
        throw new IOException("the stream was cut in the handshake");
      }
      if (read == 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    while (!plain.hasRemaining()) {
      if (ended) {
        return -1;
      }
      if (!openRecord()) {
        int read = below.read(in);
        if (read < 0) {
          throw new IOException("the stream was cut");
        }
        if (read == 0) {
          return 0;
        }
      }
    }
    int count = Math.min(1 + random.nextInt(MOST_IN_RECORD), Math.min(plain.remaining(), target.remaining()));
    target.put(plain.slice(plain.position(), count));
    plain.position(plain.position() + count);
    return count;
  }

  private boolean hasRecord() {
    return in.position() >= Short.BYTES && in.position() >= Short.BYTES + Short.toUnsignedInt(in.getShort(0));
  }

  private boolean openRecord() throws IOException {
    if (!hasRecord()) {
      return false;
    }
    in.flip();
    int length = Short.toUnsignedInt(in.getShort());
    if (length > MOST_IN_RECORD) {
      throw new IOException("a record of " + length + " bytes");
    }
    ended = length == 0;
    plain.clear();
    for (int i = 0; i < length; i++) {
      plain.put((byte) (in.get() ^ peerKey[opened++ % KEY_BYTES]));
    }
    plain.flip();
    in.compact();
    return true;
  }

  @Override
  public boolean isDrained() {
    return !plain.hasRemaining() && !hasRecord() && !ended && below.isDrained();
  }

  @Override
  public boolean hasBufferedInput() {
    return plain.hasRemaining() || hasRecord() || ended || below.hasBufferedInput();
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    if (!flushOut()) {
      return 0;
    }
    out.position(Short.BYTES);
    int most = 1 + random.nextInt(MOST_IN_RECORD);
    int taken = 0;
    for (int i = offset; i < offset + length; i++) {
      while (sources[i].hasRemaining() && taken < most) {
        out.put((byte) (sources[i].get() ^ ownKey[sealed++ % KEY_BYTES]));
        taken++;
      }
    }
    out.putShort(0, (short) taken);
    if (taken == 0) {
      out.clear();
    }
    return taken;
  }

  private boolean flushOut() throws IOException {
    out.flip();
    if (out.hasRemaining()) {
      below.write(new ByteBuffer[] {out}, 0, 1);
    }
    out.compact();
    return out.position() == 0;
  }

  @Override
  public boolean flush() throws IOException {
    if (!flushOut() || !below.flush()) {
      return false;
    }
    if (endIsQueued && !endIsTold) {
      endIsTold = true;
      below.shutdownOutput();
    }
    return true;
  }

  @Override
  public void shutdownOutput() {
    endIsQueued = true;
    out.putShort((short) 0);
  }

  @Override
  public void reportWritable(boolean wanted) {
    below.reportWritable(wanted);
  }

  @Override
  public void reportReadable(boolean wanted) {
    below.reportReadable(wanted);
  }

  @Override
  public void close() {
    closed = true;
    below.close();
  }
}
