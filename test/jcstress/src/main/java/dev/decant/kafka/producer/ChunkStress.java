package dev.decant.kafka.producer;

import static java.util.Objects.requireNonNull;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.telemetry.ErrorFunnel;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.time.Clock;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.LLZ_Result;
import org.openjdk.jcstress.infra.results.L_Result;
import org.openjdk.jcstress.infra.results.ZLL_Result;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** A chunk between the threads that append to it and the one that closes it: no record is lost, none comes after. */
public class ChunkStress {
  private static final int CHUNK_BYTES = 64;
  private static final int RECORD_BYTES = 8;
  private static final int VALUE_AT = 6;

  private static final ErrorFunnel ERRORS = new Telemetry(Clock.system()).errors();

  /** Shared by all tests of a JVM: the arbiter gives back what the constructor took. */
  private static final BufferPool POOL = new BufferPool(16 << 20, CHUNK_BYTES, false);
  private static final ThreadLocal<StringBuilder> TOLD = ThreadLocal.withInitial(StringBuilder::new);
  // Only read while the tests run, so threads may share them.
  private static final PendingRecord A = record("A", 1);
  private static final PendingRecord B = record("B", 2);
  /** The chunk is opened with this one; record B has another. */
  private static final SendListener USUAL = listener();
  private static final SendListener OWN = listener();

  private ChunkStress() {}

  private static PendingRecord record(String value, long timestamp) {
    PendingRecord record = new PendingRecord();
    record.key("topic", null, Serdes.string());
    record.value("topic", value, Serdes.string());
    record.headers(null);
    record.timestamp = timestamp;
    record.tag = value.charAt(0);
    return record;
  }

  private static SendListener listener() {
    return new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        TOLD.get().append((char) tag).append(offset);
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        TOLD.get().append("failed");
      }
    };
  }

  static Chunk openChunk() {
    Chunk chunk = new Chunk();
    chunk.lease(requireNonNull(POOL.tryLease(CHUNK_BYTES)));
    wipe(chunk.buffer());
    chunk.open(0, CHUNK_BYTES, CHUNK_BYTES / RECORD_BYTES, 0, 0, USUAL);
    return chunk;
  }

  static void wipe(ByteBuffer memory) {
    for (int i = 0; i < CHUNK_BYTES; i += Long.BYTES) {
      memory.putLong(i, 0);
    }
  }

  /** Appends as the queue does. */
  static boolean append(Chunk chunk, PendingRecord record) {
    return append(chunk, record, null);
  }

  static boolean append(Chunk chunk, PendingRecord record, @Nullable SendListener listener) {
    int outcome;
    do {
      outcome = chunk.append(chunk.state(), record, null, listener);
    } while (outcome == Chunk.LOST_RACE);
    return outcome == Chunk.APPENDED;
  }

  /** The values in a closed chunk, in their order; "open" while a record is being written. */
  static String content(Chunk chunk) {
    if (!chunk.isComplete()) {
      return "open";
    }
    int count = chunk.count();
    if (chunk.end() != count * RECORD_BYTES) {
      return "wrong end";
    }
    long maxTimestamp = Long.MIN_VALUE;
    StringBuilder values = new StringBuilder();
    for (int i = 0; i < count; i++) {
      long timestamp = timestampOf(chunk.buffer(), i);
      if (timestamp < 0) {
        return "torn";
      }
      maxTimestamp = Math.max(maxTimestamp, timestamp);
      values.append((char) chunk.buffer().get(i * RECORD_BYTES + VALUE_AT));
    }
    return maxTimestamp == chunk.maxTimestamp() ? values.toString() : "wrong timestamp";
  }

  /**
   * The timestamp of record A or B at an index; -1 if there is neither, whole and with the right offset.
   *
   * <pre>
   *   length | attributes | timestamp | offset | key size | value size | value | headers   (a byte each)
   * </pre>
   */
  private static long timestampOf(ByteBuffer memory, int index) {
    int at = index * RECORD_BYTES;
    int value = memory.get(at + VALUE_AT);
    int timestamp = value - 'A' + 1;
    boolean whole = (value == 'A' || value == 'B') && memory.get(at) == 14 && memory.get(at + 1) == 0
        && memory.get(at + 2) == timestamp * 2 && memory.get(at + 3) == index * 2 && memory.get(at + 4) == 1
        && memory.get(at + 5) == 2 && memory.get(at + 7) == 0;
    return whole ? timestamp : -1;
  }

  /** Whether the memory behind a closed chunk's last record is untouched. */
  static boolean nothingFollows(Chunk chunk) {
    for (int i = chunk.end(); i < CHUNK_BYTES; i++) {
      if (chunk.buffer().get(i) != 0) {
        return false;
      }
    }
    return true;
  }

  /** What there is after the close, what there is in the end, whether A and B were told to be appended. */
  @JCStressTest
  @Outcome(id = ", , false, false", expect = ACCEPTABLE, desc = "closed before both")
  @Outcome(id = "(open|A), A, true, false", expect = ACCEPTABLE, desc = "closed before B")
  @Outcome(id = "(open|B), B, false, true", expect = ACCEPTABLE, desc = "closed before A")
  @Outcome(id = "(open|AB), AB, true, true", expect = ACCEPTABLE, desc = "closed after A and B")
  @Outcome(id = "(open|BA), BA, true, true", expect = ACCEPTABLE, desc = "closed after B and A")
  @Outcome(expect = FORBIDDEN, desc = "a record was lost, torn, or came after the close")
  @State
  public static class TwoAppendsAgainstClose {
    private final Chunk chunk = openChunk();

    /** Appends A. */
    @Actor
    public void appendA(LLLL_Result r) {
      r.r3 = append(chunk, A);
    }

    /** Appends B. */
    @Actor
    public void appendB(LLLL_Result r) {
      r.r4 = append(chunk, B);
    }

    /** Closes and reads what is complete. */
    @Actor
    public void close(LLLL_Result r) {
      chunk.close();
      r.r1 = content(chunk);
    }

    /** Reads what there is when all is over. */
    @Arbiter
    public void read(LLLL_Result r) {
      r.r2 = nothingFollows(chunk) ? content(chunk) : "written behind the end";
      chunk.release();
    }
  }

  /** As above with one writer, for machines with two processors. */
  @JCStressTest
  @Outcome(id = ", , false", expect = ACCEPTABLE, desc = "closed before the append")
  @Outcome(id = "(open|A), A, true", expect = ACCEPTABLE, desc = "closed after the claim")
  @Outcome(expect = FORBIDDEN, desc = "a record was lost, torn, or came after the close")
  @State
  public static class AppendAgainstClose {
    private final Chunk chunk = openChunk();

    /** Appends A. */
    @Actor
    public void append(LLZ_Result r) {
      r.r3 = ChunkStress.append(chunk, A);
    }

    /** Closes and reads what is complete. */
    @Actor
    public void close(LLZ_Result r) {
      chunk.close();
      r.r1 = content(chunk);
    }

    /** Reads what there is when all is over. */
    @Arbiter
    public void read(LLZ_Result r) {
      r.r2 = nothingFollows(chunk) ? content(chunk) : "written behind the end";
      chunk.release();
    }
  }

  /** What the listeners of two concurrent records are told: value and offset, in the order of the records. */
  @JCStressTest
  @Outcome(id = {"AB A100B101", "BA B100A101"}, expect = ACCEPTABLE, desc = "each its own offset")
  @Outcome(expect = FORBIDDEN, desc = "a listener was forgotten or told of another record")
  @State
  public static class TwoAppendsWithListeners {
    private final Chunk chunk = openChunk();

    /** Appends A. */
    @Actor
    public void appendA() {
      append(chunk, A, USUAL);
    }

    /** Appends B. */
    @Actor
    public void appendB() {
      append(chunk, B, OWN);
    }

    /** Closes and acknowledges. */
    @Arbiter
    public void acknowledge(L_Result r) {
      chunk.close();
      StringBuilder told = TOLD.get();
      told.setLength(0);
      told.append(content(chunk)).append(' ');
      chunk.acknowledge(0, chunk.count(), 0, 100, -1, ERRORS);
      r.r1 = told.toString();
      chunk.release();
    }
  }

  /** Whether the record was appended, whether its writer sees the close, whether who closes sees it complete. */
  @JCStressTest
  @Outcome(id = "true, false, true", expect = ACCEPTABLE, desc = "closed after the commit")
  @Outcome(id = "true, true, false", expect = ACCEPTABLE, desc = "closed between claim and commit: the writer signals")
  @Outcome(id = "true, true, true", expect = ACCEPTABLE, desc = "closed at the commit: the signal is one too many")
  @Outcome(id = "false, true, true", expect = ACCEPTABLE, desc = "closed before the claim")
  @Outcome(id = "true, false, false", expect = FORBIDDEN, desc = "who closed waits for a signal that nobody gives")
  @Outcome(expect = FORBIDDEN, desc = "a record that was not claimed is awaited, or a close was not seen")
  @State
  public static class LastCommitIsNoticed {
    private final Chunk chunk = openChunk();

    /** Appends, then looks whether somebody may wait for that. */
    @Actor
    public void append(ZZZ_Result r) {
      r.r1 = ChunkStress.append(chunk, A);
      r.r2 = chunk.isClosed();
    }

    /** Closes, then looks whether there is something to wait for. */
    @Actor
    public void close(ZZZ_Result r) {
      chunk.close();
      r.r3 = chunk.isComplete();
    }

    /** Gives the memory back. */
    @Arbiter
    public void release() {
      chunk.release();
    }
  }

  /** Whether a claim on the first use succeeded, the content of the first use, the content of the second use. */
  @JCStressTest
  @Outcome(id = "true, A, ", expect = ACCEPTABLE, desc = "claimed before the close")
  @Outcome(id = "false, , ", expect = ACCEPTABLE, desc = "claimed too late: in vain")
  @Outcome(expect = FORBIDDEN, desc = "a claim on the first use landed in the second one")
  @State
  public static class ClaimAgainstRecycling {
    private final Chunk chunk = openChunk();
    private final long seen = chunk.state();

    /** Claims against a state that it has read long ago. */
    @Actor
    public void append(ZLL_Result r) {
      r.r1 = chunk.append(seen, A, null, null) == Chunk.APPENDED;
    }

    /** Closes, waits for the commit, uses the chunk again. */
    @Actor
    public void recycle(ZLL_Result r) {
      chunk.close();
      while (!chunk.isComplete()) {
        Thread.onSpinWait();
      }
      r.r2 = content(chunk);
      wipe(chunk.buffer());
      chunk.open(0, CHUNK_BYTES, CHUNK_BYTES / RECORD_BYTES, 0, 0, USUAL);
    }

    /** Closes the second use. */
    @Arbiter
    public void read(ZLL_Result r) {
      chunk.close();
      r.r3 = nothingFollows(chunk) ? content(chunk) : "written behind the end";
      chunk.release();
    }
  }
}
