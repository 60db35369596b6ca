package dev.decant.kafka.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.event.Registration;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import dev.decant.kafka.event.ErrorReport;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TelemetryTest {
  private final Telemetry telemetry = new Telemetry(Clock.system());
  private final List<String> told = new ArrayList<>();

  private static KafkaException cause(String text) {
    return new KafkaException(ErrorCode.NOT_LEADER_OR_FOLLOWER, text);
  }

  private ErrorListener errors() {
    return new ErrorListener() {
      @Override
      public void onError(ErrorKind kind, String where, Throwable cause) {
        told.add(kind.code() + " " + where + " " + cause.getMessage());
      }
    };
  }

  @Test
  void aRetriedBatchIsAnEventAnErrorAndACount() {
    telemetry.watchErrors(errors());
    telemetry.watchProducers(new ProducerListener() {
      @Override
      public void onBatchRetried(String topic, int partition, int records, KafkaException cause) {
        told.add("retried " + topic + "-" + partition + " " + records);
      }
    });
    telemetry.producer().retried("orders", 3, 42, cause("moved"));
    assertThat(told).containsExactly("retried orders-3 42", "produce.retried orders-3 moved");
    assertThat(telemetry.counters().get(Statistic.BATCHES_RETRIED)).isEqualTo(1);
    assertThat(telemetry.counters().get(Statistic.ERRORS)).isEqualTo(1);
  }

  @Test
  void aListenerThatThrowsIsReportedAndTheNextIsToldAllTheSame() {
    telemetry.watchErrors(errors());
    for (int i = 0; i < 2; i++) {
      int number = i;
      telemetry.watchConnections(new ConnectionListener() {
        @Override
        public void onReady(String broker, long nanos) {
          told.add("ready " + number);
          throw new LinkageError("broken " + number);
        }
      });
    }
    telemetry.connection().ready("b:1", 5);
    assertThat(told).containsExactly("ready 0", "listener.failed onReady broken 0", "ready 1",
        "listener.failed onReady broken 1");
  }

  @Test
  void anErrorListenerThatThrowsEndsNothing() {
    telemetry.watchErrors(new ErrorListener() {
      @Override
      public void onError(ErrorKind kind, String where, Throwable cause) {
        throw new IllegalStateException("broken");
      }
    });
    telemetry.watchErrors(errors());
    telemetry.errors().report(ErrorKind.METADATA_FAILED, "b:1", cause("no"));
    assertThat(told).containsExactly("metadata.failed b:1 no");
  }

  @Test
  void aCauseThatCannotEvenBeReadIsKeptFromWhoReportsIt() {
    telemetry.watchErrors(errors());
    telemetry.errors().report(ErrorKind.METADATA_FAILED, "b:1", new KafkaException(ErrorCode.NONE, "no") {
      private static final long serialVersionUID = 1L;

      @Override
      public String getMessage() {
        throw new StackOverflowError("none is left, as this test wants it");
      }
    });
    assertThat(telemetry.counters().get(Statistic.ERRORS)).as("it, and the one of reporting it").isEqualTo(2);
    telemetry.errors().report(ErrorKind.METADATA_FAILED, "b:1", cause("no"));
    assertThat(told).containsExactly("metadata.failed b:1 no");
  }

  @Test
  void theLastErrorsAreRememberedOldestFirst() {
    IntStream.range(0, 40).forEach(i -> telemetry.errors().report(ErrorKind.FETCH_RETRIED, "b:" + i, cause("no")));
    assertThat(telemetry.errors().last()).hasSize(16).extracting(ErrorReport::where)
        .containsExactlyElementsOf(IntStream.range(24, 40).mapToObj(i -> "b:" + i).toList());
  }

  @Test
  void aRemovedListenerIsToldNoMore() {
    Registration registration = telemetry.watchErrors(errors());
    registration.close();
    telemetry.errors().report(ErrorKind.FETCH_FAILED, "b:1", cause("no"));
    assertThat(told).isEmpty();
  }

  @Test
  void listeningForNothingIsRefused() {
    assertThatThrownBy(() -> telemetry.watchProducers(new ProducerListener() {
    }))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void codesOfErrorsAreUnique() {
    assertThat(ErrorKind.values()).extracting(ErrorKind::code).doesNotHaveDuplicates()
        .allMatch(code -> code.matches("[a-z]+\\.[a-z]+"));
  }
}
