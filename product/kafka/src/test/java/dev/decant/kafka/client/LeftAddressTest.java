package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Tests brokers that move to other addresses. The former ones were once kept and connected to while the client lived.
 */
class LeftAddressTest extends AgainstScriptedBroker {
  LeftAddressTest() {
    super(1, LATER);
  }

  private void refresh() {
    ClientInternals parts = ClientInternals.of(client);
    parts.loop().execute(() -> parts.cluster().requestUpdate());
  }

  private List<String> connections() {
    return client.status().connections().stream().map(ConnectionStatus::broker).toList();
  }

  /** Waits until no connection to the address is left. */
  private void awaitForgotten(ScriptedBroker left) throws InterruptedException {
    ClientInternals parts = ClientInternals.of(client);
    assertThat(parts.cluster().waiters().await(() -> !connections().contains(left.address()),
        System.nanoTime() + LATER.toNanos())).as(() -> left.address() + " is left in " + connections()).isTrue();
  }

  /** A response that is on its way still counts: it has acknowledged records. */
  @Test
  void addressThatIsLeftEndsWithItsLastResponse() throws Exception {
    broker.state().lead(0, 2);
    try (ScriptedBroker first = broker.peer(2); Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait(null, "a");
      CountDownLatch permission = new CountDownLatch(1);
      first.next(ApiKey.PRODUCE, Script.after(permission, Script.STANDARD));
      producer.send(null, "b");
      first.await(ApiKey.PRODUCE, 2);
      try (ScriptedBroker second = broker.peer(2)) {
        refresh();
        ClientInternals parts = ClientInternals.of(client);
        assertThat(parts.cluster().waiters().await(() -> second.address()
            .equals(String.valueOf(parts.cluster().snapshot().brokers().get(2))), System.nanoTime() + LATER.toNanos()))
            .isTrue();
        assertThat(connections()).contains(first.address());
        permission.countDown();
        assertThat(producer.flush(LATER)).isTrue();
        awaitForgotten(first);
        producer.sendAndWait(null, "c");
        assertThat(second.requests(ApiKey.PRODUCE)).hasSize(1);
        assertThat(first.requests(ApiKey.PRODUCE)).as("none was sent twice").hasSize(2);
      }
    }
    assertThat(broker.state().stored(0)).containsExactly("a", "b", "c");
  }

  /** A broker that has just started knows no other brokers for a moment. */
  @Test
  void metadataWithoutBrokersEndsNoConnection() throws Exception {
    broker.state().lead(0, 2);
    try (ScriptedBroker leader = broker.peer(2); Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait(null, "a");
      Script empty = exchange -> {
        MetadataResponse response = broker.state().metadata((MetadataRequest) exchange.request().body());
        exchange.answer(response.brokers(List.of())::write);
      };
      broker.next(ApiKey.METADATA, empty);
      leader.next(ApiKey.METADATA, empty);
      int before = broker.requests(ApiKey.METADATA).size() + leader.requests(ApiKey.METADATA).size();
      refresh();
      ClientInternals parts = ClientInternals.of(client);
      assertThat(parts.cluster().waiters().await(
          () -> broker.requests(ApiKey.METADATA).size() + leader.requests(ApiKey.METADATA).size() >= before + 2,
          System.nanoTime() + LATER.toNanos())).isTrue();
      producer.sendAndWait(null, "b");
      assertThat(leader.requests(ApiKey.PRODUCE)).extracting(r -> r.connection()).containsOnly(1);
    }
  }

  @Test
  void nothingIsKeptOfTheAddressesThatABrokerHasLeft() throws Exception {
    broker.state().lead(0, 2);
    List<ScriptedBroker> all = new ArrayList<>(List.of(broker.peer(2)));
    List<String> values = new ArrayList<>();
    Set<String> attempted = ConcurrentHashMap.newKeySet();
    client.events().watchConnections(new ConnectionListener() {
      @Override
      public void onEnded(String name, int unanswered, KafkaException cause) {
        attempted.add(name);
      }
    });
    try (Producer<String, String> producer = producer(LATER); Consumer<String, String> consumer = consumer(100, 0)) {
      for (int i = 0; i < 6; i++) {
        if (i > 0) {
          all.add(broker.peer(2));
          refresh();
          awaitForgotten(all.get(i - 1));
          all.get(i - 1).cutAll();
        }
        producer.sendAndWait(null, "v" + i);
        values.addAll(read(consumer, 1));
      }
      assertThat(values).containsExactly("v0", "v1", "v2", "v3", "v4", "v5");
      assertThat(connections()).containsOnly(address(), all.getLast().address());
      assertThat(attempted).as("no connection was cut or refused").isEmpty();
    } finally {
      all.forEach(ScriptedBroker::close);
    }
  }
}
