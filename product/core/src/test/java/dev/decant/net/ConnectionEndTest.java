package dev.decant.net;

import static dev.decant.net.PipedConnection.concat;
import static dev.decant.net.PipedConnection.direct;
import static dev.decant.net.PipedConnection.frame;
import static dev.decant.net.PipedConnection.pattern;
import static dev.decant.net.PipedConnection.prefix;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection ends once, with its cause, and returns all memory. */
@Timeout(60)
class ConnectionEndTest {
  private final PipedConnection piped = new PipedConnection(10_000, 1 << 20, 200_000);

  @Test
  void refusalAtOnceIsReportedOnce() throws InterruptedException {
    try (piped) {
      ConnectException refused = new ConnectException("refused");
      piped.local.refuse(refused);
      piped.open();

      assertThat(piped.awaitEnd()).isSameAs(refused);
      assertEndedWithoutConnecting();
    }
  }

  @Test
  void refusalAfterAWhileIsReportedOnce() throws InterruptedException {
    try (piped) {
      ConnectException refused = new ConnectException("refused");
      piped.local.holdConnect();
      piped.open();
      piped.onLoop(() -> {
        assertThat(piped.ends).isEmpty();
        piped.local.refuse(refused);
      });

      assertThat(piped.awaitEnd()).isSameAs(refused);
      assertEndedWithoutConnecting();
    }
  }

  private void assertEndedWithoutConnecting() throws InterruptedException {
    piped.onLoop(() -> {
      assertThat(piped.connects).isZero();
      assertThat(piped.local.isClosed()).isTrue();
      assertThat(piped.connection.isConnected()).isFalse();
    });
  }

  @Test
  void endOfTheStreamIsReportedOnceAndAfterTheFramesBeforeIt() throws InterruptedException {
    try (piped) {
      piped.open();
      piped.onLoop(() -> {
        piped.remote.put(concat(frame((byte) 1), frame((byte) 2), prefix(5)), 0);
        piped.remote.close();
      });

      assertThat(piped.awaitEnd()).isInstanceOf(EOFException.class);
      piped.onLoop(() -> assertThat(piped.frames).hasSize(2));
    }
  }

  @Test
  void endInTheMiddleOfALargeFrameGivesItsMemoryBack() throws InterruptedException {
    try (piped) {
      piped.open();
      piped.send(concat(prefix(150_000), pattern(100_000, 1)));
      piped.driveUntil(() -> piped.pool.leasedBytes() > 0);
      piped.onLoop(piped.remote::close);

      assertThat(piped.awaitEnd()).isInstanceOf(EOFException.class);
      assertThat(piped.pool.leasedBytes()).isZero();
    }
  }

  @Test
  void linkThatIsCutIsReportedOnceThoughReadingAndWritingFail() throws InterruptedException {
    try (piped) {
      piped.open();
      piped.onLoop(() -> {
        piped.local.cutLink();
        piped.connection.queue(direct((byte) 1));
        piped.connection.flush();
        piped.connection.flush();
      });

      assertThat(piped.awaitEnd()).hasMessage("the link was cut");
    }
  }

  @Test
  void handlerThatThrowsAtAFrameEndsItsConnectionAndGivesTheMemoryBack() throws InterruptedException {
    try (piped) {
      IllegalStateException defect = new IllegalStateException("a handler of this test fails on purpose");
      piped.onFrame = (payload, lease) -> {
        throw defect;
      };
      piped.open();
      piped.send(frame(pattern(100_000, 1)));

      assertThat(piped.awaitEnd()).isSameAs(defect);
      assertThat(piped.pool.leasedBytes()).isZero();
    }
  }

  @Test
  void handlerThatThrowsWhenTheLinkIsUpAtOnceEndsItsConnection() throws InterruptedException {
    // A connection that was established at once reported that from within open(). An exception of the handler there
    // reached the caller of open(), and the connection stayed, registered and useless.
    try (piped) {
      IllegalStateException defect = new IllegalStateException("a handler of this test fails on purpose");
      piped.onConnected = () -> {
        throw defect;
      };
      piped.open();

      assertThat(piped.awaitEnd()).isSameAs(defect);
      assertThat(piped.local.isClosed()).isTrue();
    }
  }

  @Test
  void runningOutOfDirectMemoryEndsTheConnectionAndNotTheLoop() throws InterruptedException {
    // A lease for a large frame may fail with an OutOfMemoryError. The error passed through the connection and the
    // round, and ended the I/O thread: every connection of the client was dead, without a message.
    try (piped) {
      OutOfMemoryError none = new OutOfMemoryError("thrown by this test");
      piped.onFrame = (payload, lease) -> {
        throw none;
      };
      piped.open();
      piped.onLoop(() -> piped.remote.put(frame((byte) 1), 0));

      assertThat(piped.awaitEnd()).isSameAs(none);
      piped.onLoop(() -> assertThat(piped.local.isClosed()).isTrue());
    }
  }
}
