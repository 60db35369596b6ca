package dev.decant.kafka.interleaving;

import dev.decant.kafka.broker.Body;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.cluster.HostResolver;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.net.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Connections to one broker, with the requests on each that have no response, in order. Requests that the test does not
 * order (versions, metadata, coordinators) get their response at once.
 */
final class SimulatedNetwork implements HostResolver {
  private static final int LARGEST_ANSWER = 8 << 10;

  /** A request without a response, and when it arrived. */
  record Waiting(SimulatedTransport connection, Request request, long sinceMillis) {}

  private final SimulatedClock clock;
  private final SimulatedBroker broker;
  private final Map<SimulatedTransport, ArrayDeque<Waiting>> connections = new LinkedHashMap<>();
  private int opened;

  SimulatedNetwork(SimulatedClock clock, SimulatedBroker broker) {
    this.clock = clock;
    this.broker = broker;
  }

  @Override
  public InetAddress[] resolve(String host) {
    return new InetAddress[] {InetAddress.getLoopbackAddress()};
  }

  @Override
  public boolean blocks() {
    return false;
  }

  @Override
  public Transport connect(InetSocketAddress target) {
    SimulatedTransport connection = new SimulatedTransport(this);
    connections.put(connection, new ArrayDeque<>());
    opened++;
    return connection;
  }

  void received(SimulatedTransport connection, byte[] frame) {
    Request request = Request.read(opened, frame);
    Body atOnce = broker.answerAtOnce(request);
    if (atOnce != null) {
      connection.deliver(frame(request, atOnce));
    } else {
      connections.getOrDefault(connection, new ArrayDeque<>()).add(new Waiting(connection, request, clock.millis()));
    }
  }

  void closed(SimulatedTransport connection) {
    connections.remove(connection);
  }

  /** Returns the oldest request of each connection: these can get their response next. */
  List<Waiting> oldest() {
    List<Waiting> all = new ArrayList<>();
    connections.forEach((connection, waiting) -> {
      if (connection.isOpen() && !waiting.isEmpty()) {
        all.add(waiting.element());
      }
    });
    return all;
  }

  /** Sends the response to the oldest request of its connection. */
  void answer(Waiting waiting, Body body) {
    connections.getOrDefault(waiting.connection(), new ArrayDeque<>()).remove();
    waiting.connection().deliver(frame(waiting.request(), body));
  }

  private static ByteBuffer frame(Request request, Body body) {
    ByteBuffer memory = ByteBuffer.allocate(LARGEST_ANSWER);
    ProtocolWriter out = new ProtocolWriter(memory, Integer.BYTES, memory.capacity());
    out.writeInt(request.correlationId());
    if (request.api().responseHeaderVersion(request.version()) >= 1) {
      out.writeUnsignedVarint(0);
    }
    body.write(out, request.version());
    memory.putInt(0, out.position() - Integer.BYTES);
    return memory.limit(out.position()).position(0);
  }
}
