package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedSasl;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.SaslExchange;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.kafka.security.SaslPeer;
import dev.decant.kafka.serialization.Serdes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a mechanism of the application with defects: a connection fails or works with it, and always does one of them.
 */
@Timeout(60)
@ExtendWith(QuietLog.class)
class ForeignMechanismTest {
  private static final Duration LATER = Duration.ofSeconds(50);

  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final List<String> closers = new CopyOnWriteArrayList<>();

  @AfterEach
  void stop() {
    broker.close();
  }

  /** The defects of the test's exchange. */
  private enum Defect {
    NONE, CLOSE_THROWS, IS_COMPLETE_THROWS, NO_MESSAGE
  }

  private final class Mechanism implements SaslMechanism {
    private final Defect defect;

    Mechanism(Defect defect) {
      this.defect = defect;
    }

    @Override
    public String name() {
      return "OWN";
    }

    @Override
    public SaslExchange begin(SaslPeer peer) {
      return new Exchange(defect);
    }
  }

  private final class Exchange implements SaslExchange {
    private final Defect defect;
    private boolean complete;

    Exchange(Defect defect) {
      this.defect = defect;
    }

    @Override
    @SuppressWarnings("NullAway") // the defect
    public byte[] initialResponse() {
      return defect == Defect.NO_MESSAGE ? null : "carol".getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] respond(byte[] challenge) {
      complete = true;
      return new byte[0];
    }

    @Override
    public boolean isComplete() {
      if (defect == Defect.IS_COMPLETE_THROWS) {
        throw new IllegalStateException("it does not know");
      }
      return complete;
    }

    @Override
    public void close() {
      closers.add(Thread.currentThread().getName());
      if (defect == Defect.CLOSE_THROWS) {
        throw new NoClassDefFoundError("com.example.Wiper");
      }
    }
  }

  private KafkaClient client(Defect defect) {
    return KafkaClient.builder(broker.address()).requestTimeout(LATER).connectTimeout(LATER)
        .sasl(new Mechanism(defect)).build();
  }

  private static Producer<String, String> producer(KafkaClient client) throws InterruptedException {
    return client.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC).open();
  }

  /** Closing may block, so the client's loop does not call it. */
  @ParameterizedTest
  @ValueSource(strings = {"NONE", "CLOSE_THROWS"})
  void anExchangeThatHasEndedWellIsClosedByItsOwnThread(String defect) throws Exception {
    new ScriptedSasl(broker, message -> true);
    try (KafkaClient client = client(Defect.valueOf(defect)); Producer<String, String> producer = producer(client)) {
      assertThat(producer.sendAndWait("k", "v").offset()).isZero();
    }
    assertThat(closers).isNotEmpty().allMatch(name -> name.startsWith("decant-sasl-"));
  }

  /** The end of the connection was once lost with the error, and no caller had the refusal before all timeouts. */
  @Test
  void aRefusalIsReportedAlthoughTheExchangeCannotBeClosed() {
    new ScriptedSasl(broker, message -> false);
    try (KafkaClient client = client(Defect.CLOSE_THROWS)) {
      assertThatThrownBy(() -> producer(client)).isInstanceOf(AuthenticationException.class)
          .hasMessageContaining("nobody is known by that");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"IS_COMPLETE_THROWS", "NO_MESSAGE"})
  void anExchangeThatCannotGoOnEndsItsConnection(String defect) throws Exception {
    new ScriptedSasl(broker, message -> true);
    CompletableFuture<KafkaException> ended = new CompletableFuture<>();
    Thread opening;
    try (KafkaClient client = client(Defect.valueOf(defect))) {
      client.events().watchConnections(new ConnectionListener() {
        @Override
        public void onEnded(String address, int unanswered, KafkaException cause) {
          ended.complete(cause);
        }
      });
      opening = Thread.ofVirtual().start(() -> {
        try {
          producer(client).close();
        } catch (InterruptedException | RuntimeException e) {
          // the mechanism fails it, or the end of the client does
        }
      });
      assertThat(ended.get(50, TimeUnit.SECONDS))
          .hasMessageContaining(defect.equals("NO_MESSAGE") ? "no message" : "it does not know");
    }
    opening.join();
  }
}
