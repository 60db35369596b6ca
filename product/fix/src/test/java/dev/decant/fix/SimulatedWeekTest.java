package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.log.FileMessageLog;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.schedule.SessionSchedule;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.WhileClosed;
import dev.decant.fix.store.FileStores;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Trading weeks at more than a thousand times their speed: sessions of three schedules open, close, reset and lose
 * their connections. Engines restart, files roll over, a disk fills, and the time of day is set. Each accepted message
 * arrives once, or is reported as discarded.
 */
@Tag("full")
@Timeout(900)
@SuppressWarnings({"FutureReturnValueIgnored", "NullAway"}) // actions have an effect; a test opens all first
class SimulatedWeekTest {
  private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final Duration STEP = Duration.ofMinutes(5);
  private static final int SEGMENT_BYTES = 1 << 13;
  private static final int LOG_FILE_BYTES = 1 << 16;

  @TempDir
  Path folder;

  /** One session, with both of its ends. */
  private static final class Line {
    final SessionSchedule schedule;
    final WhileClosed whileClosed;
    final String name;
    final Map<Long, String> numbers = new ConcurrentHashMap<>();
    final Set<String> accepted = new HashSet<>();
    final List<String> received = new CopyOnWriteArrayList<>();
    final Set<String> discarded = ConcurrentHashMap.newKeySet();
    volatile FixSession client;
    int sent;

    Line(String name, SessionSchedule schedule, WhileClosed whileClosed) {
      this.name = name;
      this.schedule = schedule;
      this.whileClosed = whileClosed;
    }

    SessionId id(boolean isClient) {
      return isClient ? SessionId.of("FIX.4.4", name, "VENUE") : SessionId.of("FIX.4.4", "VENUE", name);
    }

    SessionSettings settings(boolean isClient) {
      return SessionSettings.of(id(isClient)).schedule(schedule)
          .whileClosed(isClient ? whileClosed : WhileClosed.REFUSE)
          .sendWhileLoggedOut(isClient).maxLatency(Duration.ofDays(2)) // time passes between a send and its arrival
          .heartbeatInterval(Duration.ofMinutes(30)).build();
    }

    void send(OutboundMessage order) {
      if (order.begin("D") == SendStatus.OK) {
        String id = name + '-' + ++sent;
        order.text(11, id).text(58, "x".repeat(200));
        synchronized (this) { // the number is known when a listener is told of it
          long number = order.send();
          if (number > 0) {
            accepted.add(id);
            numbers.put(number, id);
          }
        }
      }
    }

    synchronized void discard(long from, long to) {
      for (long number = from; number <= to; number++) {
        String id = numbers.remove(number);
        if (id != null) {
          discarded.add(id);
        }
      }
    }

    boolean isComplete() {
      return received.size() + discarded.size() >= accepted.size();
    }
  }

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final SetClock clock = new SetClock(Instant.parse("2027-03-08T00:00:00Z")); // summer time begins on Sunday
  private final List<String> events = new CopyOnWriteArrayList<>();
  private FixEngine server;
  private FixEngine client;
  private FixAcceptor acceptor;
  private NearlyFullStores clientStores;
  private final List<Line> lines = List.of(
      new Line("DAILY", SessionSchedule.in(ZoneId.of("America/New_York")).weekdays(DayOfWeek.MONDAY, DayOfWeek.FRIDAY)
          .window(LocalTime.of(8, 0), LocalTime.of(12, 0)).window(LocalTime.of(13, 0), LocalTime.of(17, 0)).build(),
          WhileClosed.QUEUE),
      new Line("WEEKLY", SessionSchedule.in(ZoneId.of("Europe/London"))
          .weekly(DayOfWeek.SUNDAY, LocalTime.of(18, 0), DayOfWeek.FRIDAY, LocalTime.of(17, 0)).resetNever().build(),
          WhileClosed.EXPIRE),
      new Line("ALWAYS", SessionSchedule.in(ZoneId.of("UTC")).nonStop().resetDaily(LocalTime.MIDNIGHT).build(),
          WhileClosed.REFUSE));

  @AfterEach
  void close() {
    clock.closeAll();
  }

  private void openServer() throws IOException {
    server = clock.engine("server",
        FileMessageLog.builder(folder.resolve("log")).maxFileBytes(LOG_FILE_BYTES).maxFiles(4)
            .open());
    AcceptorBuilder builder = server.acceptor(ANY_PORT, (session, message) -> receive(session, message))
        .store(stores("server"));
    lines.forEach(line -> builder.session(line.settings(false)));
    acceptor = builder.open();
  }

  private FileStores stores(String name) {
    return FileStores.builder(folder.resolve(name)).segmentBytes(SEGMENT_BYTES).build();
  }

  private void receive(FixSession session, MessageView message) {
    for (Line line : lines) {
      if (line.name.equals(session.id().targetCompId())) {
        line.received.add(message.string(11));
      }
    }
  }

  private void openClient() throws IOException {
    client = clock.engine("client");
    client.listen(new SessionListener() {
      @Override
      public void onMessagesDiscarded(SessionId session, long from, long to) {
        lines.stream().filter(line -> line.id(true).equals(session)).forEach(line -> line.discard(from, to));
      }

      @Override
      public void onReset(SessionId session) {
        lines.stream().filter(line -> line.id(true).equals(session)).forEach(line -> line.numbers.clear());
      }

      @Override
      public void onNotice(SessionId session, String text) {
        events.add(clock.now() + " " + session + " " + text);
      }

      @Override
      public void onDisconnect(SessionId session, String reason) {
        events.add(clock.now() + " " + session + " disconnected: " + reason);
      }
    });
    for (Line line : lines) {
      line.client = client.initiator(line.settings(true), (session, message) -> {}).store(clientStores)
          .host("localhost", acceptor.localAddress().getPort())
          .reconnectDelay(Duration.ofMillis(5), Duration.ofMillis(20)).open();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void eachMessageOfAWeekArrivesOnceOrIsDiscardedAloud(int week) throws Exception {
    clientStores = new NearlyFullStores(stores("client"));
    openServer();
    openClient();
    int steps = (int) Duration.ofDays(7).dividedBy(STEP);
    int fullFrom = steps / 3 + random.nextInt(steps / 6);
    for (int step = 0; step < steps; step++) {
      clientStores.isFull = step >= fullFrom && step < fullFrom + 24;
      disturb();
      for (Line line : lines) {
        for (int i = random.nextInt(4); i > 0; i--) {
          line.send(line.client.newMessage());
        }
      }
      clock.pass(STEP);
      if (!clientStores.isFull) {
        lines.forEach(this::settle);
      }
    }
    ClosingReport report = client.close(Duration.ofSeconds(5));
    server.close();
    lines.forEach(line -> check(line, report));
    try (Stream<Path> files = Files.list(folder.resolve("log"))) {
      assertThat(files.count()).as("log files").isGreaterThan(2);
    }
  }

  private void disturb() throws Exception {
    Line line = lines.get(random.nextInt(lines.size()));
    switch (random.nextInt(60)) {
      case 0, 1 -> acceptor.session(line.id(false)).logout("cut");
      case 2 -> {
        line.client.logout("");
        line.client.logon();
      }
      case 3 -> {
        if (!clientStores.isFull) {
          clock.close(client);
          clock.settle();
          openClient();
          clock.settle(); // what an old store has discarded is told
        }
      }
      case 4 -> clock.step(Duration.ofMinutes(random.nextInt(120) - 60));
      default -> {
        // an ordinary step
      }
    }
  }

  /** A session that is open at both ends logs on, and gets what it lacks. */
  private void settle(Line line) {
    clock.await(() -> line.name + " is not settled at " + clock.now() + ", seed " + seed + ": accepted "
        + line.accepted.size() + ", received " + line.received.size() + ", discarded " + line.discarded.size()
        + ", logged on " + line.client.isLoggedOn() + events.subList(Math.max(0, events.size() - 30), events.size()),
        () -> {
          clock.signal();
          boolean isOpen = line.client.isSessionTime() && acceptor.session(line.id(false)).isSessionTime();
          return !isOpen || (line.client.isLoggedOn() && line.isComplete());
        });
  }

  private void check(Line line, ClosingReport report) {
    String where = line.name + ", seed " + seed;
    List<String> lost = new ArrayList<>(line.accepted);
    lost.removeAll(line.received);
    lost.removeAll(line.discarded);
    ClosingReport.Session left = report.sessions().stream().filter(session -> session.id().equals(line.id(true)))
        .findFirst().orElseThrow();
    for (long number = left.firstUnsent(); number > 0 && number <= left.lastUnsent(); number++) {
      lost.remove(line.numbers.get(number));
    }
    assertThat(lost).as("lost of %s", where).isEmpty();
    assertThat(line.received).as("twice of %s", where).doesNotHaveDuplicates();
    assertThat(line.received).as(where).hasSizeGreaterThan(500);
    assertThat(line.received).as("discarded, and yet received of %s", where)
        .noneMatch(line.discarded::contains);
  }
}
