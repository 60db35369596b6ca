package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.cluster.HostResolver;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.loop.EventLoop;
import dev.decant.loop.ReadyListener;
import dev.decant.net.SocketTransport;
import dev.decant.net.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests a stream whose write throws another exception than an {@link IOException}. */
@Timeout(60)
@ExtendWith(QuietLog.class)
class WriteFailsTest {
  private static final AtomicBoolean FAILS = new AtomicBoolean();

  private record Failing(Transport socket) implements Transport {
    @Override
    public void register(EventLoop loop, ReadyListener listener) throws IOException {
      socket.register(loop, listener);
    }

    @Override
    public boolean establish() throws IOException {
      return socket.establish();
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
      return socket.read(target);
    }

    @Override
    public boolean isDrained() {
      return socket.isDrained();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
      if (FAILS.getAndSet(false)) {
        throw new OutOfMemoryError("on purpose");
      }
      return socket.write(sources, offset, length);
    }

    @Override
    public void reportWritable(boolean wanted) {
      socket.reportWritable(wanted);
    }

    @Override
    public void reportReadable(boolean wanted) {
      socket.reportReadable(wanted);
    }

    @Override
    public void shutdownOutput() throws IOException {
      socket.shutdownOutput();
    }

    @Override
    public void close() {
      socket.close();
    }
  }

  private static final HostResolver NETWORK = new HostResolver() {
    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
      return InetAddress.getAllByName(host);
    }

    @Override
    public Transport connect(InetSocketAddress target) throws IOException {
      return new Failing(SocketTransport.connect(target));
    }
  };

  @Test
  void requestThatWasQueuedThenEndsItsConnectionAndIsSentOnceOnTheNext() throws InterruptedException {
    // The request was once queued a second time in the next round: the broker stored its records twice.
    try (ScriptedBroker broker = ScriptedBroker.start(1);
        KafkaClient client = KafkaClient.builder(broker.address()).resolver(NETWORK).build();
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string())
            .topic(ScriptedBroker.TOPIC).idempotence(false).open()) {
      producer.sendAndWait(null, "a");
      FAILS.set(true);
      producer.send(null, "b");
      assertThat(producer.flush(Duration.ofSeconds(20))).isTrue();
      producer.sendAndWait(null, "c");
      assertThat(broker.state().stored(0)).containsExactly("a", "b", "c");
      assertThat(broker.requests(ApiKey.PRODUCE).stream().mapToInt(r -> r.connection()).distinct()).hasSize(2);
    }
    assertThat(FAILS).isFalse();
  }
}
