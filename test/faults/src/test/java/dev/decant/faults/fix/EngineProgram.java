package dev.decant.faults.fix;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The program of one engine, in a JVM of its own: a thread for each session sends orders all the time, and journals
 * have all that is sent and received. Requests of the test come on standard input. Standard error is a log of events.
 *
 * <p>Arguments: folder, number of this process among those of its engine, and the port of each session: the engine
 * listens there as acceptor, and connects there as initiator.
 */
final class EngineProgram {
  /** Tells how far all sessions are. */
  static final String STATUS = "status";
  /** Ends sending. */
  static final String PAUSE = "pause";
  /** Sends some orders without a pause. */
  static final String BURST = "burst";

  /** Sends an order. */
  @FunctionalInterface
  interface Send {
    /** Returns the number of the order, or one below 1 if it was refused. */
    long send(String id) throws Exception;
  }

  /** One session. The thread of its sender writes {@link #sent}, a thread of the engine the rest. */
  private static final class Session {
    final Journal sent;
    final Journal received;
    volatile long lastSent;
    volatile long lastReceived;

    Session(Journal sent, Journal received) {
      this.sent = sent;
      this.received = received;
    }
  }

  private final String engine;
  private final Path folder;
  private final int life;
  private final long begin = System.nanoTime();
  private final Map<Link, Integer> ports = new EnumMap<>(Link.class);
  private final Map<Link, Session> sessions = new EnumMap<>(Link.class);
  private final List<Thread> senders = new ArrayList<>();
  private volatile boolean isPaused;
  /** How often a burst was asked for. */
  private final AtomicInteger bursts = new AtomicInteger();

  /** Begins the journals. */
  EngineProgram(String engine, String[] arguments) {
    this.engine = engine;
    this.folder = Path.of(arguments[0]);
    this.life = Integer.parseInt(arguments[1]);
    int next = 2;
    for (Link link : Link.values()) {
      ports.put(link, Integer.parseInt(arguments[next++]));
      sessions.put(link, new Session(Journal.begin(sent(folder, engine, link, life)),
          Journal.begin(received(folder, engine, link, life))));
    }
  }

  static Path sent(Path folder, String engine, Link link, int life) {
    return folder.resolve(engine + '-' + link + '-' + life + ".sent");
  }

  static Path received(Path folder, String engine, Link link, int life) {
    return folder.resolve(engine + '-' + link + '-' + life + ".received");
  }

  int port(Link link) {
    return Objects.requireNonNull(ports.get(link));
  }

  /** The folder of the engine's stores. */
  Path stores() {
    return folder.resolve(engine + "-stores");
  }

  private Session session(Link link) {
    return Objects.requireNonNull(sessions.get(link));
  }

  /** Takes an order that the engine gives to its application. */
  void received(Link link, ReceivedOrder order) {
    Session session = session(link);
    session.received.write(order.line());
    session.lastReceived = order.number();
  }

  /** Adds to the log of events. */
  void log(String session, String event) {
    System.err.println((System.nanoTime() - begin) / 1_000_000 + " ms: process " + life + ", " + session + ": "
        + event.replace('\u0001', '|'));
  }

  /** Begins to send orders on a session. */
  void sendAllTheTime(Link link, Send send) {
    senders.add(Thread.ofPlatform().name("sender-" + link).start(() -> sendUntilPaused(link, send)));
  }

  private void sendUntilPaused(Link link, Send send) {
    Session session = session(link);
    long intervalNanos = TimeUnit.SECONDS.toNanos(1) / link.ordersPerSecond();
    int seenBursts = 0;
    int withoutPause = 0;
    try {
      for (long i = 0; !isPaused; i++) {
        String id = engine + life + '-' + i;
        session.sent.write(SentOrder.before(id));
        long number = send.send(id);
        session.sent.write(SentOrder.after(id, number));
        if (number > 0) {
          session.lastSent = number;
        }
        if (seenBursts != bursts.get()) {
          seenBursts++;
          withoutPause = link.ordersOfABurst();
        }
        if (withoutPause > 0) {
          withoutPause--;
        } else {
          LockSupport.parkNanos(intervalNanos);
        }
      }
    } catch (Exception e) {
      log(link.name(), "cannot send: " + e);
      Runtime.getRuntime().halt(1); // the test sees that the process has ended
    }
  }

  /** Obeys the test until it closes standard input. */
  void serve() throws IOException, InterruptedException {
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    PrintStream responses = System.out;
    for (String request = requests.readLine(); request != null; request = requests.readLine()) {
      switch (request) {
        case STATUS -> responses.println("ok " + status());
        case BURST -> {
          bursts.incrementAndGet();
          senders.forEach(LockSupport::unpark);
          responses.println("ok " + status());
        }
        case PAUSE -> {
          isPaused = true;
          for (Thread sender : senders) {
            sender.join();
          }
          responses.println("ok " + status());
        }
        default -> responses.println("error no request " + request);
      }
      responses.flush();
    }
  }

  private String status() {
    StringBuilder status = new StringBuilder();
    sessions.values().forEach(
        session -> status.append(session.lastSent).append(' ').append(session.lastReceived).append(' '));
    return status.toString();
  }
}
