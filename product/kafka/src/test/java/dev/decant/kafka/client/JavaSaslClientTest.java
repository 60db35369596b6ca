package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedSasl;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.JavaSasl;
import dev.decant.kafka.security.TestSaslProvider;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests a client with a mechanism and callback handler of a library. */
@Timeout(60)
@ExtendWith(QuietLog.class)
class JavaSaslClientTest {
  private static final Duration LATER = Duration.ofSeconds(20);

  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final ScriptedSasl sasl = new ScriptedSasl(broker, message -> message.endsWith(" carol word crane"))
      .farewell("welcome");

  @BeforeEach
  void register() {
    TestSaslProvider.register();
  }

  @AfterEach
  void stop() {
    TestSaslProvider.remove();
    broker.close();
  }

  private KafkaClient client(CallbackHandler handler) {
    return KafkaClient.builder(broker.address()).requestTimeout(LATER).connectTimeout(LATER)
        .sasl(JavaSasl.mechanism(TestSaslProvider.NAME).callbackHandler(handler).build()).build();
  }

  private static Producer<String, String> producer(KafkaClient client) throws InterruptedException {
    return client.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC).open();
  }

  private static void answer(Callback[] callbacks) {
    for (Callback callback : callbacks) {
      if (callback instanceof NameCallback name) {
        name.setName("carol");
      } else if (callback instanceof PasswordCallback password) {
        password.setPassword("crane".toCharArray());
      }
    }
  }

  /** Code that blocks within monitors would block a carrier of the application's virtual threads. */
  @Test
  void handlerRunsOnPlatformThreadsWhateverThreadDrivesTheClient() throws Exception {
    Set<Boolean> virtual = ConcurrentHashMap.newKeySet();
    try (KafkaClient client = client(callbacks -> {
      virtual.add(Thread.currentThread().isVirtual());
      answer(callbacks);
    }); Producer<String, String> producer = producer(client)) {
      assertThat(producer.sendAndWait("k", "v").offset()).isZero();
    }
    assertThat(virtual).containsExactly(false);
    assertThat(sasl.mechanisms()).containsOnly(TestSaslProvider.NAME);
  }

  @Test
  void connectionsAreReplacedBeforeTheirSessionsEnd() throws Exception {
    sasl.sessionMillis(200);
    try (KafkaClient client = client(JavaSaslClientTest::answer);
        Producer<String, String> producer = producer(client)) {
      for (int i = 0; connectionsWithRecords() < 3; i++) {
        assertThat(producer.sendAndWait("k", "v").offset()).isEqualTo(i);
      }
    }
    assertThat(sasl.messages()).allMatch(message -> message.isEmpty() || message.endsWith(" carol word crane"));
  }

  private long connectionsWithRecords() {
    return broker.requests(ApiKey.PRODUCE).stream().map(request -> request.connection()).distinct().count();
  }

  @Test
  void handlerThatThrowsFailsTheOpeningAtOnce() {
    try (KafkaClient client = client(callbacks -> {
      throw new IOException("no metadata service");
    })) {
      assertThatThrownBy(() -> producer(client)).isInstanceOf(AuthenticationException.class)
          .hasMessageContaining("broker " + broker.address())
          .hasMessageContaining(TestSaslProvider.NAME + " cannot go on").hasStackTraceContaining("no metadata service");
    }
  }

  @Test
  void closingTheClientInterruptsAHandlerThatBlocks() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    KafkaClient client = client(callbacks -> {
      asked.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        ended.countDown();
        throw (IOException) new InterruptedIOException("given up").initCause(e);
      }
    });
    Thread opening = Thread.ofVirtual().start(() -> {
      try {
        producer(client).close();
      } catch (InterruptedException | RuntimeException e) {
        // the client is closed meanwhile
      }
    });
    assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
    client.close();
    assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    opening.join();
  }
}
