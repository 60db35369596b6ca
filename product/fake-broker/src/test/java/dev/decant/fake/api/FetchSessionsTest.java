package dev.decant.fake.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchRequest.FetchPartition;
import dev.decant.kafka.protocol.message.FetchRequest.FetchTopic;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests fetch sessions whose slots are used up (KIP-227). */
class FetchSessionsTest {
  private static final short VERSION = 12;
  private static final long TWO_MINUTES = 120_000;

  private long nowMillis = 1;
  private final FetchSessions sessions = new FetchSessions(2, () -> nowMillis);

  private static FetchRequest fetch(int partitions) {
    return new FetchRequest().sessionEpoch(0).topics(List.of(new FetchTopic().topic("orders").partitions(
        IntStream.range(0, partitions).mapToObj(p -> new FetchPartition().partition(p)).toList())));
  }

  private int begin(int partitions) {
    return sessions.sessionOf(fetch(partitions), VERSION).id();
  }

  private ErrorCode problemOf(int id, int epoch) {
    return sessions.problemOf(new FetchRequest().sessionId(id).sessionEpoch(epoch), VERSION);
  }

  @Test
  void youngSessionsKeepTheirSlots() {
    int first = begin(1);
    int second = begin(1);
    nowMillis += TWO_MINUTES;
    assertThat(begin(5)).isEqualTo(FetchSessions.NO_SESSION);
    assertThat(problemOf(first, 1)).isEqualTo(ErrorCode.NONE);
    assertThat(problemOf(second, 1)).isEqualTo(ErrorCode.NONE);
  }

  @Test
  void sessionThatWasNotUsedGoesForAnother() {
    int first = begin(5);
    int second = begin(1);
    nowMillis += TWO_MINUTES;
    assertThat(sessions.sessionOf(new FetchRequest().sessionId(first).sessionEpoch(1), VERSION).id()).isEqualTo(first);
    nowMillis += 1;
    assertThat(begin(1)).isPositive();
    assertThat(problemOf(first, 2)).isEqualTo(ErrorCode.NONE);
    assertThat(problemOf(second, 1)).isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
  }

  @Test
  void smallerSessionGoesForALargerOne() {
    int large = begin(5);
    int small = begin(2);
    nowMillis += TWO_MINUTES + 1;
    for (int id : new int[] {small, large}) {
      assertThat(sessions.sessionOf(new FetchRequest().sessionId(id).sessionEpoch(1), VERSION).id()).isEqualTo(id);
    }
    assertThat(begin(1)).isEqualTo(FetchSessions.NO_SESSION);
    assertThat(begin(3)).isPositive();
    assertThat(problemOf(large, 2)).isEqualTo(ErrorCode.NONE);
    assertThat(problemOf(small, 2)).isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
  }
}
