package dev.decant.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The oracle finds what it is there to find. */
class VerdictTest {
  private static final long RUN = 77;

  private final Outcomes outcomes = new Outcomes(0);
  private final List<Stored.Entry> first = new ArrayList<>();
  private final List<Stored.Entry> second = new ArrayList<>();

  private static @Nullable Numbered record(long sequence) {
    return Numbered.decode(new Numbered(RUN, 0, -1, sequence).encode());
  }

  /** Sends so many records, and has them stored in the first partition and acknowledged. */
  private void send(int count) {
    for (int i = 0; i < count; i++) {
      first.add(new Stored.Entry(i, record(i)));
      outcomes.onAck(i, 0, i, 0);
    }
    outcomes.sent(count);
  }

  private List<String> violations() {
    return Verdict.of(RUN, List.of(outcomes), new Stored(List.of(first, second))).violations();
  }

  private void fail(int sequence) {
    outcomes.onFailure(sequence, new KafkaTimeoutException("late", null));
  }

  @Test
  void allIsWell() {
    send(5);
    outcomes.sent(8);
    fail(5);
    fail(6);
    first.add(new Stored.Entry(5, record(6)));
    outcomes.refused(7, new KafkaTimeoutException("full", null));
    assertThat(violations()).isEmpty();
  }

  @Test
  void aLostRecordIsFound() {
    send(5);
    first.remove(3);
    assertThat(violations()).singleElement().asString().contains("record 3").contains("not stored");
  }

  @Test
  void aRecordStoredTwiceIsFoundEvenIfItHasFailed() {
    send(3);
    first.add(new Stored.Entry(3, record(1)));
    outcomes.sent(4);
    fail(3);
    second.add(new Stored.Entry(0, record(3)));
    second.add(new Stored.Entry(1, record(3)));
    assertThat(violations()).anyMatch(v -> v.contains("partition 0 offset 3: stored again"))
        .anyMatch(v -> v.contains("partition 1 offset 1: stored again"));
  }

  @Test
  void disorderAndAWrongOffsetAreFound() {
    send(3);
    first.set(1, new Stored.Entry(1, record(2)));
    first.set(2, new Stored.Entry(2, record(1)));
    assertThat(violations()).anyMatch(v -> v.contains("partition 0 offset 2: out of order"))
        .anyMatch(v -> v.contains("acknowledged at partition 0 offset 1"));
  }

  @Test
  void aRecordThatNobodyIsToldOfAndOneToldOfTwiceAreFound() {
    send(3);
    outcomes.sent(4);
    outcomes.onAck(0, 0, 0, 0);
    assertThat(violations()).hasSize(2).anyMatch(v -> v.contains("record 3: never told of"))
        .anyMatch(v -> v.contains("told again of 1 records"));
  }

  @Test
  void aRecordWhoseSendThrewMustNotBeStored() {
    send(2);
    outcomes.sent(3);
    outcomes.refused(2, new KafkaTimeoutException("full", null));
    first.add(new Stored.Entry(2, record(2)));
    assertThat(violations()).singleElement().asString().contains("though its send threw");
  }

  @Test
  void strangeBytesAndRecordsOfElsewhereAreFound() {
    send(1);
    byte[] poisoned = new Numbered(RUN, 0, -1, 5).encode();
    poisoned[poisoned.length - 1] ^= 0x40;
    byte[] nothing = new byte[40];
    Arrays.fill(nothing, (byte) 0xDD);
    first.add(new Stored.Entry(1, Numbered.decode(poisoned)));
    first.add(new Stored.Entry(2, Numbered.decode(nothing)));
    first.add(new Stored.Entry(3, new Numbered(RUN + 1, 0, -1, 0)));
    first.add(new Stored.Entry(4, new Numbered(RUN, 0, 1, 0)));
    assertThat(violations()).anyMatch(v -> v.contains("offset 1: bytes that nobody sent"))
        .anyMatch(v -> v.contains("offset 2: bytes that nobody sent"))
        .anyMatch(v -> v.contains("offset 3: a record of elsewhere"))
        .anyMatch(v -> v.contains("offset 4: a record of another partition"));
  }
}
