package dev.decant.fix.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** Messages that a thread publishes while the owner takes slices: it gets each once, whole and in order. */
public class OutputRingStress {
  private static final int BYTES = 8;
  private static final int CAPACITY = 32;
  /** Repeats a letter in each byte of a message. */
  private static final long PATTERN = 0x0101_0101_0101_0101L;

  private OutputRingStress() {}

  /** Chunks that hold two messages, so that a few of them need another chunk. */
  private static OutputRing newRing() {
    return new OutputRing(CAPACITY, new ChunkPool(2 * BYTES, 2 * BYTES, CAPACITY));
  }

  private static boolean publish(OutputRing ring, char letter, int bytes) {
    int at = ring.claim(bytes, 0);
    if (at == OutputRing.NO_ROOM) {
      return false;
    }
    for (int i = 0; i < bytes; i += BYTES) {
      ring.memory().putLong(at + i, letter * PATTERN);
    }
    ring.publish(bytes);
    return true;
  }

  /** Takes what is there: a letter for each eight bytes, a question mark for what was not written yet. */
  private static void take(OutputRing ring, StringBuilder taken) {
    while (ring.hasSlice()) {
      ByteBuffer slice = ring.takeSlice();
      for (int at = slice.position(); at < slice.limit(); at += BYTES) {
        long word = slice.getLong(at);
        int letter = (int) (word & 0xFF);
        taken.append(word == letter * PATTERN && letter >= 'A' ? (char) letter : '?');
      }
      ring.sliceWritten();
    }
  }

  /** A ring whose only chunk has room for one message: that was used and given back, so its base is an old one. */
  private static OutputRing usedRing() {
    OutputRing ring = newRing();
    for (int i = 0; i < 5; i++) {
      publish(ring, 'x', BYTES);
    }
    take(ring, new StringBuilder());
    ring.clear();
    publish(ring, 'x', BYTES);
    return ring;
  }

  /** The second message does not fit in the chunk, and begins another one. The first may find all written. */
  @JCStressTest
  @Outcome(id = "xABB", expect = ACCEPTABLE, desc = "all, once each, in order")
  @Outcome(expect = FORBIDDEN, desc = "a message was lost, taken twice, or not whole")
  @State
  public static class NextChunk {
    private final OutputRing ring = usedRing();
    private final StringBuilder taken = new StringBuilder();

    /** Publishes. */
    @Actor
    public void sender() {
      publish(ring, 'A', BYTES);
      publish(ring, 'B', 2 * BYTES);
    }

    /** Takes what is there. */
    @Actor
    public void owner() {
      take(ring, taken);
    }

    /** Takes the rest. */
    @Arbiter
    public void end(L_Result r) {
      take(ring, taken);
      r.r1 = taken.toString();
    }
  }

  /** A full ring: room comes back while the sender looks for it. */
  @JCStressTest
  @Outcome(id = {"AAAA", "AAAAB"}, expect = ACCEPTABLE, desc = "the second message had no room, or came behind")
  @Outcome(expect = FORBIDDEN, desc = "memory of a slice was written to, or a message was lost")
  @State
  public static class FullRing {
    private final OutputRing ring = newRing();
    private final StringBuilder taken = new StringBuilder();

    /** Fills the ring. */
    public FullRing() {
      publish(ring, 'A', CAPACITY);
    }

    /** Publishes if there is room. */
    @Actor
    public void sender() {
      publish(ring, 'B', BYTES);
    }

    /** Takes what is there. */
    @Actor
    public void owner() {
      take(ring, taken);
    }

    /** Takes the rest. */
    @Arbiter
    public void end(L_Result r) {
      take(ring, taken);
      r.r1 = taken.toString();
    }
  }

  /** The owner holds back while another thread publishes: what is held back comes after the release. */
  @JCStressTest
  @Outcome(id = "A|", expect = ACCEPTABLE, desc = "before the hold")
  @Outcome(id = "|A", expect = ACCEPTABLE, desc = "held back")
  @Outcome(expect = FORBIDDEN, desc = "lost, or not whole")
  @State
  public static class Hold {
    private final OutputRing ring = newRing();
    private final StringBuilder taken = new StringBuilder();

    /** Publishes. */
    @Actor
    public void sender() {
      publish(ring, 'A', BYTES);
    }

    /** Holds back, and takes what came before. */
    @Actor
    public void owner() {
      ring.hold();
      take(ring, taken);
      taken.append('|');
    }

    /** Releases, and takes the rest. */
    @Arbiter
    public void end(L_Result r) {
      ring.release();
      take(ring, taken);
      r.r1 = taken.toString();
    }
  }
}
