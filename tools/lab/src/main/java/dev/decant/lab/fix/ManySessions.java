package dev.decant.lab.fix;

import com.sun.management.ThreadMXBean;
import dev.decant.fix.AcceptorBuilder;
import dev.decant.fix.Application;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.SendStatus;
import dev.decant.fix.message.FieldView;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MemoryStores;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The main class of a JVM with many sessions on one loop of an acceptor. Initiators on another loop send orders at an
 * even rate, one session after the other, and the acceptor sends each order back.
 *
 * <p>Arguments: sessions, orders per second of all sessions, seconds. The output is one line with the figures of {@link
 * #NAMES}.
 */
public final class ManySessions {
  /** The figures of the line, in their order. */
  static final List<String> NAMES = List.of("sessions", "messages", "cpu_us_per_message", "bytes_per_message",
      "direct_bytes_per_session", "heap_bytes_per_session", "logon_ms", "refused", "reads_per_message",
      "writes_per_message");

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int ORDER = MsgType.key("D");
  /** Size of each session's store. The figures of memory leave the store out. */
  private static final int STORE_BYTES = 64 * 1024;
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(8);
  private static final String ACCEPTOR = "many-acceptor";
  private static final String INITIATOR = "many-initiator";

  private final int count;
  private final FixEngine acceptors = FixEngine.builder().name(ACCEPTOR).start();
  private final FixEngine initiators = FixEngine.builder().name(INITIATOR).start();
  private final List<FixSession> sessions = new ArrayList<>();
  private final Map<FixSession, OutboundMessage> echoes = new HashMap<>();
  private volatile long echoed;

  private ManySessions(int count) {
    this.count = count;
  }

  /**
   * Runs the sessions.
   *
   * @param arguments sessions, orders per second of all sessions, seconds
   * @throws Exception if a session does not log on, or the thread was interrupted
   */
  public static void main(String[] arguments) throws Exception {
    ManySessions many = new ManySessions(Integer.parseInt(arguments[0]));
    many.run(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
    Runtime.getRuntime().halt(0);
  }

  private void run(int perSecond, int seconds) throws Exception {
    long directBefore = directBytes();
    long heapBefore = heapBytes();
    long began = System.nanoTime();
    FixAcceptor acceptor = open();
    long logonMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    double ends = 2.0 * count;
    double direct = (directBytes() - directBefore) / ends;
    double heap = (heapBytes() - heapBefore) / ends;
    List<OutboundMessage> orders = sessions.stream().map(FixSession::newMessage).toList();
    send(orders, perSecond, System.nanoTime() + WARM_UP_NANOS);
    long loop = idOf(ACCEPTOR);
    long[] engines = {loop, idOf(INITIATOR)};
    ThreadCalls callsBefore = ThreadCalls.of(ACCEPTOR);
    long bytesBefore = Arrays.stream(THREADS.getThreadAllocatedBytes(engines)).sum();
    long cpuBefore = THREADS.getThreadCpuTime(loop);
    long echoedBefore = echoed;
    long sent = send(orders, perSecond, System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
    if (!initiators.waitUntil(() -> echoed - echoedBefore >= sent, PATIENCE)) {
      throw new IllegalStateException(echoed - echoedBefore + " of " + sent + " orders have come");
    }
    long cpu = THREADS.getThreadCpuTime(loop) - cpuBefore;
    long bytes = Arrays.stream(THREADS.getThreadAllocatedBytes(engines)).sum() - bytesBefore;
    ThreadCalls calls = ThreadCalls.of(ACCEPTOR).since(callsBefore);
    System.out.printf(Locale.ROOT, "%d %d %.3f %.4f %.0f %.0f %d %d %.3f %.3f%n", count, sent, cpu / 1e3 / sent,
        (double) bytes / sent, direct, heap, logonMillis, acceptor.refusedConnections(), (double) calls.reads() / sent,
        (double) calls.writes() / sent);
  }

  private FixAcceptor open() throws IOException, InterruptedException {
    AcceptorBuilder listening = acceptors.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        new Echo()).store(new MemoryStores(STORE_BYTES));
    for (int i = 0; i < count; i++) {
      listening.session(SessionSettings.of(SessionId.of("FIX.4.4", "VENUE", "BUYER" + i)).build());
    }
    FixAcceptor acceptor = listening.open();
    for (int i = 0; i < count; i++) {
      sessions.add(initiators.initiator(SessionSettings.of(SessionId.of("FIX.4.4", "BUYER" + i, "VENUE")).build(),
          (session, message) -> {}).host("127.0.0.1", acceptor.localAddress().getPort())
          .store(new MemoryStores(STORE_BYTES)).open());
    }
    for (FixSession session : sessions) {
      if (!session.awaitLogon(PATIENCE)) {
        throw new IllegalStateException("no logon of " + session);
      }
    }
    return acceptor;
  }

  /** Sends at an even rate: each order has its own time, so no two sessions share a write. */
  private static long send(List<OutboundMessage> orders, int perSecond, long endNanos) {
    long began = System.nanoTime();
    long apart = TimeUnit.SECONDS.toNanos(1) / perSecond;
    long sent = 0;
    long now = began;
    while (now - endNanos < 0) {
      if (now - began >= sent * apart) {
        send(orders.get((int) (sent % orders.size())), sent);
        sent++;
      } else {
        Thread.onSpinWait();
      }
      now = System.nanoTime();
    }
    return sent;
  }

  private static void send(OutboundMessage order, long number) {
    if (order.begin(ORDER, 256) != SendStatus.OK) {
      throw new IllegalStateException("order " + number + " cannot be sent");
    }
    order.integer(Order.CL_ORD_ID, number, Order.CL_ORD_ID_DIGITS).character(Order.HANDL_INST, '1')
        .integer(Order.ORDER_QTY, Order.QUANTITY).character(Order.ORD_TYPE, '2')
        .decimal(Order.PRICE_TAG, Order.PRICE_HUNDREDTHS, -2).character(Order.SIDE, '1')
        .text(Order.SYMBOL_TAG, Order.SYMBOL).timestamp(Order.TRANSACT_TIME_TAG, 1_700_000_000_000_000_000L, 0);
    if (order.send() < 0) {
      throw new IllegalStateException("order " + number + " was not sent");
    }
  }

  private static long idOf(String thread) {
    for (ThreadInfo info : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
      if (info != null && info.getThreadName().equals(thread)) {
        return info.getThreadId();
      }
    }
    throw new IllegalStateException("no thread " + thread);
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getTotalCapacity).sum();
  }

  private static long heapBytes() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Sends each order back, on the thread of the acceptor's loop. */
  private final class Echo implements Application {
    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the owner of the loop writes
    public void onMessage(FixSession session, MessageView message) {
      OutboundMessage echo = echoes.get(session);
      if (echo == null) {
        echo = session.newMessage();
        echoes.put(session, echo);
      }
      if (echo.begin(message.msgTypeKey(), 256) != SendStatus.OK) {
        throw new IllegalStateException("an order of " + session + " is not sent back");
      }
      echo.copy((FieldView) message, message.bodyFirst(), message.endField() - 1);
      echo.send();
      echoed++;
    }
  }
}
