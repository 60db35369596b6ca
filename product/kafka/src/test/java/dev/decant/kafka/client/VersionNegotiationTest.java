package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.Exchange;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests brokers that are older than this client. */
class VersionNegotiationTest extends AgainstScriptedBroker {
  VersionNegotiationTest() {
    super(1, LATER);
  }

  /** Limits the broker to this version of an API. */
  private Script upTo(int version, ApiKey api) {
    return exchange -> {
      ApiVersionsResponse response = broker.state().apiVersions();
      response.apiKeys().stream().filter(v -> v.apiKey() == api.id())
          .forEach(v -> v.minVersion((short) 0).maxVersion((short) version));
      exchange.answer(response::write);
    };
  }

  private static Script refusal(List<ApiVersionsResponse.ApiVersion> range) {
    ApiVersionsResponse refusal = new ApiVersionsResponse().errorCode(ErrorCode.UNSUPPORTED_VERSION.code())
        .apiKeys(range);
    return exchange -> exchange.raw(exchange.frame(refusal::write, (short) 0, 0));
  }

  @Test
  void olderBrokerIsAskedAgainInTheVersionThatItOffers() throws InterruptedException {
    broker.next(ApiKey.API_VERSIONS, refusal(List.of(
        new ApiVersionsResponse.ApiVersion().apiKey(ApiKey.API_VERSIONS.id()).minVersion((short) 0)
            .maxVersion((short) 3))));
    try (Producer<String, String> producer = producer(LATER)) {
      assertThat(producer.sendAndWait(null, "a").offset()).isZero();
    }
    assertThat(broker.requests(ApiKey.API_VERSIONS)).extracting(r -> (int) r.version()).containsExactly(4, 3);
    assertThat(broker.requests()).extracting(r -> r.connection()).containsOnly(1);
  }

  @Test
  void brokerThatDoesNotSayWhatItOffersIsAskedInVersion0() throws InterruptedException {
    broker.next(ApiKey.API_VERSIONS, refusal(List.of()));
    try (Producer<String, String> producer = producer(LATER)) {
      assertThat(producer.sendAndWait(null, "a").offset()).isZero();
    }
    assertThat(broker.requests(ApiKey.API_VERSIONS)).extracting(r -> (int) r.version()).containsExactly(4, 0);
  }

  @Test
  void brokerTooOldForMetadataIsAnErrorThatSaysSo() {
    broker.always(ApiKey.API_VERSIONS, upTo(3, ApiKey.METADATA));
    assertThatThrownBy(() -> producer(Duration.ofMillis(500))).isInstanceOf(KafkaException.class)
        .hasMessageContaining("broker " + address() + " speaks versions 0 to 3 of API Metadata, "
            + "this client versions 4 to 13; brokers are to be of Kafka 2.1 or later");
  }

  @Test
  void brokerTooOldForProducerIdsIsAnErrorThatSaysSo() throws InterruptedException {
    broker.always(ApiKey.API_VERSIONS, upTo(-1, ApiKey.INIT_PRODUCER_ID));
    try (Producer<String, String> producer = producer(Duration.ofMillis(500))) {
      assertThatThrownBy(() -> producer.sendAndWait(null, "a")).isInstanceOf(KafkaException.class)
          .hasMessageContaining("produce to orders-0")
          .hasMessageContaining("broker " + address() + " does not speak API InitProducerId");
    }
  }

  @Test
  void brokerTooOldForProduceIsAnErrorThatSaysSo() throws InterruptedException {
    broker.always(ApiKey.API_VERSIONS, upTo(2, ApiKey.PRODUCE));
    try (Producer<String, String> producer = producer(LATER)) {
      assertThatThrownBy(() -> producer.sendAndWait(null, "a")).isInstanceOf(KafkaException.class)
          .hasMessageContaining("produce to orders-0")
          .hasMessageContaining("broker " + address() + " speaks versions 0 to 2 of API Produce");
    }
  }

  /** One wrong response to ApiVersions once counted as long as the connection lived. */
  @Test
  void versionsThatDoNotFitAreNegotiatedAgain() throws InterruptedException {
    broker.next(ApiKey.API_VERSIONS, upTo(2, ApiKey.PRODUCE), upTo(2, ApiKey.PRODUCE));
    CountDownLatch replaced = new CountDownLatch(2);
    client.events().watchConnections(new ConnectionListener() {
      @Override
      public void onClosed(String name, String reason) {
        replaced.countDown();
      }
    });
    try (Producer<String, String> producer = producer(LATER)) {
      assertThatThrownBy(() -> producer.sendAndWait(null, "a")).isInstanceOf(KafkaException.class)
          .hasMessageContaining("speaks versions 0 to 2 of API Produce");
      assertThat(replaced.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(producer.sendAndWait(null, "b").offset()).isZero();
    }
  }

  /** Records once failed if their connection had a damaged table of versions. */
  @ParameterizedTest
  @EnumSource(names = {"METADATA", "INIT_PRODUCER_ID", "PRODUCE"})
  void oneConnectionsDamagedTableOfVersionsIsNotBelieved(ApiKey api) throws InterruptedException {
    damageVersions(api, 1, 1);
    try (Producer<String, String> producer = producer(LATER)) {
      assertThat(producer.sendAndWait(null, "a").offset()).isZero();
    }
    assertThat(broker.requests(api)).extracting(r -> r.connection()).containsOnly(2);
  }

  /** The owner of the loop sleeps between the records, so the second one, and more, leave within their send. */
  @Test
  void refusedVersionIsNotReportedWithinTheSend() throws Exception {
    broker.always(ApiKey.API_VERSIONS, upTo(2, ApiKey.PRODUCE));
    try (Producer<String, String> producer = producer().open()) {
      for (int i = 0; i < 50; i++) {
        Recorded recorded = new Recorded();
        producer.send("k", "v", 0, recorded);
        assertThat(recorded.of.get(LATER.toSeconds(), TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
      }
    }
  }

  /** Keeps the thread that reports the failure. */
  private static final class Recorded implements SendListener {
    final CompletableFuture<Thread> of = new CompletableFuture<>();

    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      of.completeExceptionally(new AssertionError("stored"));
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      of.complete(Thread.currentThread());
    }
  }

  @Test
  void brokerTooOldForOffsetsIsAnErrorOfPoll() {
    broker.always(ApiKey.API_VERSIONS, upTo(0, ApiKey.LIST_OFFSETS));
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThatThrownBy(() -> read(consumer, 1)).isInstanceOf(KafkaException.class)
          .hasMessageContaining("broker " + address() + " speaks versions 0 to 0 of API ListOffsets");
    }
  }

  @Test
  void brokerTooOldForFetchIsAnErrorOfPoll() {
    broker.always(ApiKey.API_VERSIONS, upTo(3, ApiKey.FETCH));
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThatThrownBy(() -> read(consumer, 1)).isInstanceOf(KafkaException.class)
          .hasMessageContaining("broker " + address() + " speaks versions 0 to 3 of API Fetch");
    }
  }

  @Test
  void aPortThatExpectsTlsIsGuessed() {
    byte[] alert = {0x15, 3, 3, 0, 2, 2, 70};
    for (Script answer : List.<Script>of(Exchange::cut, exchange -> exchange.raw(alert))) {
      broker.always(ApiKey.API_VERSIONS, answer);
      assertThatThrownBy(() -> producer(SOON)).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("stage NEGOTIATING").hasMessageContaining("a port that expects TLS answers like this");
    }
  }
}
