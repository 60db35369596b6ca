package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which wait an outcome is for, and when that can be used again. */
@Timeout(60)
class PendingAcksTest {
  private static final int MOST = 1 << 14;

  private final EventLoop loop = EventLoop.start("pending-acks", Clock.system());
  private final PendingAcks acks = new PendingAcks(loop);

  @AfterEach
  void close() {
    loop.close();
  }

  private PendingAck begun() {
    PendingAck ack = acks.take();
    ack.begin();
    return ack;
  }

  private void acknowledge(PendingAck ack, long tag, long offset) {
    acks.listener(ack).onAck(tag, 3, offset, 17);
  }

  @Test
  void outcomeIsThatOfTheTag() throws InterruptedException {
    PendingAck one = begun();
    PendingAck other = begun();
    acknowledge(other, PendingAcks.tag(other), 42);

    assertThat(one.isDone()).isFalse();
    assertThat(other.await()).isEqualTo(new Ack(3, 42, 17));
  }

  @Test
  void failureIsThrownToWhoWaits() {
    PendingAck ack = begun();
    acks.listener(ack).onFailure(PendingAcks.tag(ack), new KafkaException(ErrorCode.NONE, "lost"));

    assertThatThrownBy(ack::await).isInstanceOf(KafkaException.class).hasMessage("lost");
  }

  @Test
  void outcomeOfAnEarlierUseChangesNothing() {
    PendingAck ack = begun();
    long earlier = PendingAcks.tag(ack);
    acks.give(ack); // its record was not accepted
    assertThat(begun()).isSameAs(ack);
    acknowledge(ack, earlier, 1);

    assertThat(ack.isDone()).isFalse();
  }

  @Test
  void abandonedOneComesBackWithItsOutcome() {
    PendingAck ack = begun();
    acks.abandon(ack);
    PendingAck next = acks.take();
    assertThat(next).isNotSameAs(ack);
    acknowledge(ack, PendingAcks.tag(ack), 1);

    assertThat(acks.take()).isSameAs(ack);
    assertThat(acks.take()).as("once").isNotSameAs(ack);
  }

  @Test
  void abandonedOneComesBackWithItsFailure() {
    PendingAck ack = begun();
    acks.abandon(ack);
    acks.listener(ack).onFailure(PendingAcks.tag(ack), new KafkaException(ErrorCode.NONE, "lost"));

    assertThat(acks.take()).isSameAs(ack);
  }

  @Test
  void oneThatIsAbandonedTooLateComesBackAtOnce() {
    PendingAck ack = begun();
    acknowledge(ack, PendingAcks.tag(ack), 1);
    acks.abandon(ack);

    assertThat(acks.take()).isSameAs(ack);
    assertThat(acks.take()).as("once").isNotSameAs(ack);
  }

  @Test
  void oneThatWasMadeForOneUseHearsOfItsRecordItself() throws InterruptedException {
    for (int i = 0; i < MOST; i++) {
      assertThat(acks.listener(begun())).isSameAs(acks);
    }
    PendingAck more = begun();
    assertThat(acks.listener(more)).isSameAs(more);
    acknowledge(more, PendingAcks.tag(more), 42);
    assertThat(more.await()).isEqualTo(new Ack(3, 42, 17));
    acks.give(more);

    assertThat(acks.take()).isNotSameAs(more);
  }
}
