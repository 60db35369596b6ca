package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.RequestBody;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.loop.EventLoop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests requests that a link cannot encode, for example without direct memory. */
class RequestNotWrittenTest extends AgainstScriptedBroker {
  private static final short VERSION = 12;
  private static final RequestBody NO_MEMORY = (out, version) -> {
    throw new OutOfMemoryError("on purpose");
  };
  private static final RequestBody HALF_A_BODY = (out, version) -> {
    out.writeLong(1);
    throw new IllegalArgumentException("on purpose");
  };

  private final List<Object> recorded = new CopyOnWriteArrayList<>();
  private final CompletableFuture<String> answered = new CompletableFuture<>();

  RequestNotWrittenTest() {
    super(1, LATER);
  }

  /** Reports its outcome, and after a failure sends a request that can be written. */
  private final class MetadataCall extends Call {
    private final BrokerLink link;
    private RequestBody body;

    MetadataCall(BrokerLink link, RequestBody body) {
      super(ApiKey.METADATA, VERSION, VERSION);
      this.link = link;
      this.body = body;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      body.write(out, version);
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      answered.complete("answered");
    }

    @Override
    protected void onFailure(KafkaException cause) {
      recorded.add(cause);
      body = new MetadataRequest().topics(List.of())::write;
      link.send(this);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void requestThatCannotBeWrittenFailsOnceAndTheLinkContinues(boolean atOnce) throws Exception {
    // The error once came out of the call, and no caller had a failure. A caller that took its request for sent never
    // sent another one: no heartbeat, and no request for metadata.
    Cluster cluster = ClientInternals.of(client).cluster();
    cluster.awaitTopic(ScriptedBroker.TOPIC, System.nanoTime() + LATER.toNanos());
    EventLoop loop = ClientInternals.of(client).loop();
    loop.execute(() -> {
      BrokerLink link = cluster.anyLink();
      if (link == null) {
        answered.complete("there is no link");
        return;
      }
      int before = link.inFlight();
      link.send(new MetadataCall(link, atOnce ? NO_MEMORY : HALF_A_BODY));
      recorded.add(link.inFlight() - before);
    });
    assertThat(answered.get(20, TimeUnit.SECONDS)).isEqualTo("answered");
    client.close();
    assertThat(recorded).as("in flight, and then one failure").hasSize(2);
    assertThat(recorded.getFirst()).isEqualTo(0);
    assertThat(recorded.getLast()).isInstanceOfSatisfying(KafkaException.class, failure -> {
      assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_EXCEPTION);
      assertThat(failure).hasMessageContaining("broker " + address()).hasMessageContaining("Metadata v" + VERSION)
          .hasMessageContaining("on purpose");
      assertThat(failure.getCause()).isInstanceOf(atOnce ? OutOfMemoryError.class : IllegalArgumentException.class);
    });
    assertThat(broker.requests().stream().mapToInt(r -> r.connection()).distinct()).as("connections").hasSize(1);
  }
}
