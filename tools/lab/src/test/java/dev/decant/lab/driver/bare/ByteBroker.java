package dev.decant.lab.driver.bare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.Exchange;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A scripted broker whose scripts write the bytes themselves, for responses that no broker sends: wrong lengths,
 * responses to other requests, pieces. The fake cluster tests what brokers do send.
 */
final class ByteBroker implements AutoCloseable {
  private static final int MOST_BYTES = 64 * 1024;

  private final ScriptedBroker broker = ScriptedBroker.start(1);

  /** Writes the responses. */
  interface Script {
    /**
     * Returns the response to a request.
     *
     * @param request the request as the broker has read it
     * @return pieces to send one after another, with the length; none to close the connection
     */
    byte[][] response(Request request) throws IOException;
  }

  ByteBroker(Script script) {
    for (ApiKey api : List.of(ApiKey.METADATA, ApiKey.PRODUCE, ApiKey.FETCH)) {
      broker.always(api, exchange -> answer(exchange, script));
    }
  }

  private static void answer(Exchange exchange, Script script) throws IOException {
    byte[][] pieces = script.response(exchange.request());
    if (pieces.length == 0) {
      exchange.cut();
    }
    for (byte[] piece : pieces) {
      exchange.raw(piece);
    }
  }

  /** Returns a whole response: length, the request's correlation id, no tags, body. */
  static byte[] response(Request request, Consumer<ProtocolWriter> body) {
    ByteBuffer response = ByteBuffer.allocate(MOST_BYTES);
    ProtocolWriter out = new ProtocolWriter(response, Integer.BYTES, response.capacity());
    out.writeInt(request.correlationId());
    out.writeByte(0);
    body.accept(out);
    response.putInt(0, out.position() - Integer.BYTES);
    return Arrays.copyOf(response.array(), out.position());
  }

  /** Reads the body of a request of a flexible version, without its length. */
  static ProtocolReader body(byte[] request) {
    ProtocolReader in = new ProtocolReader(ByteBuffer.wrap(request), 8, request.length);
    assertThat(in.readNullableString()).isEqualTo("bare-socket");
    in.skipTaggedFields();
    return in;
  }

  /** Returns a Metadata response: broker 5 is at one of this test's ports, broker 4 is not listed. */
  static byte[] metadata(Request request, String topic, int portOfBroker5, int... leaders) {
    assertThat(request.version()).isEqualTo(BareMessages.METADATA_VERSION);
    assertThat(((MetadataRequest) request.body()).topics()).singleElement().extracting(each -> each.name())
        .isEqualTo(topic);
    return response(request, out -> new MetadataResponse()
        .brokers(List.of(new MetadataResponse.MetadataResponseBroker().nodeId(4).host("127.0.0.1").port(1),
            new MetadataResponse.MetadataResponseBroker().nodeId(5).host("127.0.0.1").port(portOfBroker5)))
        .topics(List.of(new MetadataResponse.MetadataResponseTopic().name(topic)
            .partitions(IntStream.range(0, leaders.length)
                .mapToObj(p -> new MetadataResponse.MetadataResponsePartition().partitionIndex(p).leaderId(leaders[p]))
                .toList())))
        .write(out, BareMessages.METADATA_VERSION));
  }

  InetSocketAddress address() {
    String address = broker.address();
    return new InetSocketAddress(InetAddress.getLoopbackAddress(),
        Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)));
  }

  @Override
  public void close() {
    broker.close();
  }
}
