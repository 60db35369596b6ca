package dev.decant.lab.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** A server that gives each request to a script and sends what that returns; a thread for each connection. */
final class ScriptedBroker implements AutoCloseable {
  private static final int MOST_BYTES = 64 * 1024;

  private final ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

  /** What it answers. */
  interface Script {
    /**
     * Gives the response to a request.
     *
     * @param request without its length
     * @return pieces to send one after another, with the length; none to hang up
     */
    byte[][] response(byte[] request) throws IOException;
  }

  ScriptedBroker(Script script) throws IOException {
    Thread.ofVirtual().start(() -> {
      while (!listening.isClosed()) {
        try {
          Socket connection = listening.accept();
          Thread.ofVirtual().start(() -> serveAndClose(connection, script));
        } catch (IOException e) {
          // the test has hung up
        }
      }
    });
  }

  private static void serveAndClose(Socket connection, Script script) {
    try (connection) {
      serve(connection, script);
    } catch (IOException e) {
      // the client has hung up
    }
  }

  private static void serve(Socket connection, Script script) throws IOException {
    connection.setTcpNoDelay(true);
    DataInputStream in = new DataInputStream(connection.getInputStream());
    while (true) {
      byte[][] pieces = script.response(in.readNBytes(in.readInt()));
      if (pieces.length == 0) {
        return;
      }
      for (byte[] piece : pieces) {
        connection.getOutputStream().write(piece);
      }
    }
  }

  /** The whole response to a request: length, the request's correlation id, no tags, body. */
  static byte[] response(byte[] request, Consumer<ProtocolWriter> body) {
    ByteBuffer response = ByteBuffer.allocate(MOST_BYTES);
    ProtocolWriter out = new ProtocolWriter(response, Integer.BYTES, response.capacity());
    out.writeInt(ByteBuffer.wrap(request).getInt(4));
    out.writeByte(0);
    body.accept(out);
    response.putInt(0, out.position() - Integer.BYTES);
    return Arrays.copyOf(response.array(), out.position());
  }

  /** The body of a request of a flexible version. */
  static ProtocolReader body(byte[] request) {
    ProtocolReader in = new ProtocolReader(ByteBuffer.wrap(request), 8, request.length);
    assertThat(in.readNullableString()).isEqualTo("bare-socket");
    in.skipTaggedFields();
    return in;
  }

  /** The response to a question who leads a topic: broker 5 is at a port of ours, broker 4 is not there. */
  static byte[] metadata(byte[] request, String topic, int portOfBroker5, int... leaders) {
    assertThat(ByteBuffer.wrap(request).getShort()).isEqualTo(ApiKey.METADATA.id());
    MetadataRequest asked = MetadataRequest.read(body(request), BareMessages.METADATA_VERSION);
    assertThat(asked.topics()).singleElement().extracting(each -> each.name()).isEqualTo(topic);
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
    return new InetSocketAddress(listening.getInetAddress(), listening.getLocalPort());
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
