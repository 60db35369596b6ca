package dev.decant.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.L_Result;

/** A producer publishes records while the consumer takes them: it gets each once, whole and in order. */
public class ByteRingStress {
  private static final int WORD = Long.BYTES;
  private static final int CAPACITY = 4 * WORD;
  /** Repeats a letter in each byte of a word. */
  private static final long PATTERN = 0x0101_0101_0101_0101L;

  private ByteRingStress() {}

  /** A ring with the memory of its records. A record is one word, or several with the same letter. */
  private static final class Records {
    private final ByteRing ring;
    private final ByteBuffer memory = ByteBuffer.allocate(CAPACITY);
    private final StringBuilder taken = new StringBuilder();

    /** An empty ring whose next record begins at this index. */
    Records(int index) {
      ring = new ByteRing(CAPACITY, index, index);
    }

    void put(char letter, int words) {
      long claim = ring.claim(words * WORD);
      if (claim == ByteRing.NO_ROOM) {
        return;
      }
      for (long p = ring.producerTail(); p < claim; p += WORD) {
        memory.putLong(ring.index(p), '-' * PATTERN);
      }
      for (int i = 0; i < words; i++) {
        memory.putLong(ring.index(claim) + i * WORD, letter * PATTERN);
      }
      ring.publish(claim + (long) words * WORD);
    }

    /** Takes what is there: a letter for each word, a question mark for what was not written yet. */
    void take() {
      long end = ring.tail();
      for (long p = ring.consumerHead(); p < end; p += WORD) {
        long word = memory.getLong(ring.index(p));
        int letter = (int) (word & 0xFF);
        taken.append(word == letter * PATTERN && letter >= '-' ? (char) letter : '?');
        ring.release(p + WORD);
      }
    }

    String all() {
      take();
      return taken.toString();
    }
  }

  /** The second record does not fit before the end. It begins at the start when the first one is taken. */
  @JCStressTest
  @Outcome(id = {"A-BBB", "A"}, expect = ACCEPTABLE, desc = "each once and in order, or the second had no room")
  @Outcome(expect = FORBIDDEN, desc = "a record was lost, taken twice, or not whole")
  @State
  public static class Wrap {
    private final Records records = new Records(2 * WORD);

    /** Publishes. */
    @Actor
    public void producer() {
      records.put('A', 1);
      records.put('B', 3);
    }

    /** Takes what is there. */
    @Actor
    public void consumer() {
      records.take();
    }

    /** Takes the rest. */
    @Arbiter
    public void end(L_Result r) {
      r.r1 = records.all();
    }
  }

  /** A full ring: room comes back, word by word, while the producer looks for it. */
  @JCStressTest
  @Outcome(id = {"AAAA", "AAAABB"}, expect = ACCEPTABLE, desc = "the second record had no room, or came behind")
  @Outcome(expect = FORBIDDEN, desc = "a record was overwritten while it was read, or lost")
  @State
  public static class FullRing {
    private final Records records = new Records(0);

    /** Fills the ring. */
    public FullRing() {
      records.put('A', 4);
    }

    /** Publishes if there is room. */
    @Actor
    public void producer() {
      records.put('B', 2);
    }

    /** Takes what is there. */
    @Actor
    public void consumer() {
      records.take();
    }

    /** Takes the rest. */
    @Arbiter
    public void end(L_Result r) {
      r.r1 = records.all();
    }
  }

  /** A claim that was abandoned shows nothing of its bytes, and the next record takes its place. */
  @JCStressTest
  @Outcome(id = "B", expect = ACCEPTABLE, desc = "the published record alone")
  @Outcome(expect = FORBIDDEN, desc = "bytes of the abandoned claim were seen")
  @State
  public static class AbandonedClaim {
    private final Records records = new Records(0);

    /** Writes, abandons, and publishes another record. */
    @Actor
    public void producer() {
      long claim = records.ring.claim(WORD);
      records.memory.putLong(records.ring.index(claim), 'A' * PATTERN);
      records.put('B', 1);
    }

    /** Takes what is there. */
    @Actor
    public void consumer() {
      records.take();
    }

    /** Takes the rest. */
    @Arbiter
    public void end(L_Result r) {
      r.r1 = records.all();
    }
  }

  /**
   * The producer publishes, then reads whether the consumer sleeps. The consumer says that it sleeps, then reads the
   * tail. One of them sees the other: no record waits for a consumer that no thread wakes.
   */
  @JCStressTest
  @Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = ACCEPTABLE, desc = "at least one has seen the other")
  @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a lost wake-up")
  @State
  public static class WakeUp {
    private final ByteRing ring = new ByteRing(CAPACITY);
    private volatile int sleeps;

    /** Publishes, then reads the consumer's state. */
    @Actor
    public void producer(II_Result r) {
      ring.publishVolatile(ring.claim(WORD) + WORD);
      r.r1 = sleeps;
    }

    /** Sets its state, then reads the tail. */
    @Actor
    public void consumer(II_Result r) {
      sleeps = 1;
      r.r2 = ring.tail() == ring.consumerHead() ? 0 : 1;
    }
  }
}
