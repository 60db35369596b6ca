package dev.decant.faults.fix;

import dev.decant.faults.fix.EngineProcess.Progress;
import dev.decant.testkit.fault.FaultProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Both engines, with a proxy for each session, and chance. One thread. */
final class FixBench implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  final EngineProcess decant;
  final EngineProcess quickFix;
  final Random random;
  private final AcceptorPorts ports = AcceptorPorts.reserve();
  private final Map<Link, FaultProxy> proxies = new EnumMap<>(Link.class);

  /** Starts both engines; they log on by and by. */
  FixBench(Path folder, long seed) {
    random = new Random(seed);
    Map<Link, Integer> ofDecant = new EnumMap<>(Link.class);
    Map<Link, Integer> ofQuickFix = new EnumMap<>(Link.class);
    for (Link link : Link.values()) {
      int port = ports.next();
      FaultProxy proxy = FaultProxy.start(port, random.nextLong());
      proxies.put(link, proxy);
      ofDecant.put(link, link.decantConnects ? proxy.port() : port);
      ofQuickFix.put(link, link.decantConnects ? port : proxy.port());
    }
    decant = new EngineProcess(DecantProgram.NAME, DecantProgram.class, folder, ofDecant);
    quickFix = new EngineProcess(QuickFixProgram.NAME, QuickFixProgram.class, folder, ofQuickFix);
    decant.start();
    quickFix.start();
  }

  /** Proxies of a random choice of the sessions, at least one. */
  List<FaultProxy> someProxies() {
    List<FaultProxy> some = new ArrayList<>(proxies.values());
    Collections.shuffle(some, random);
    return some.subList(0, between(1, some.size()));
  }

  /** Lets both engines work hard, so that a fault hits messages on their way. */
  void burst() throws InterruptedException {
    decant.burst();
    quickFix.burst();
    hold(0, 80);
  }

  int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  /** Lets the present faults last. */
  void hold(int leastMillis, int mostMillis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(between(leastMillis, mostMillis));
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      pause(left);
    }
  }

  private static void pause(long nanos) throws InterruptedException {
    LockSupport.parkNanos(nanos);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  /** Ends the faults of all networks. */
  void heal() {
    proxies.values().forEach(FaultProxy::heal);
  }

  /** Waits until orders are accepted again in both directions of each session, and until these have arrived. */
  void awaitRecovery(String after) throws InterruptedException {
    Map<Link, Progress> ofDecant = decant.progress();
    Map<Link, Progress> ofQuickFix = quickFix.progress();
    await(() -> "new orders after " + after + " beyond " + ofDecant + " and " + ofQuickFix,
        () -> isBeyond(decant.progress(), ofDecant) && isBeyond(quickFix.progress(), ofQuickFix));
    awaitDelivery(after, decant.progress(), quickFix.progress());
  }

  private static boolean isBeyond(Map<Link, Progress> now, Map<Link, Progress> before) {
    return now.entrySet().stream().allMatch(entry -> entry.getValue().sent() > of(entry.getKey(), before).sent());
  }

  private void awaitDelivery(String after, Map<Link, Progress> ofDecant, Map<Link, Progress> ofQuickFix)
      throws InterruptedException {
    await(() -> "delivery after " + after + " of " + ofDecant + " and " + ofQuickFix,
        () -> hasArrived(ofDecant, quickFix.progress()) && hasArrived(ofQuickFix, decant.progress()));
  }

  /** Numbers ascend, so the last one tells of all before it. */
  private static boolean hasArrived(Map<Link, Progress> sender, Map<Link, Progress> receiver) {
    return sender.entrySet().stream()
        .allMatch(entry -> of(entry.getKey(), receiver).received() >= entry.getValue().sent());
  }

  private static Progress of(Link link, Map<Link, Progress> progress) {
    return Objects.requireNonNull(progress.get(link));
  }

  private void await(Supplier<String> what, BooleanSupplier isDone) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!isDone.getAsBoolean()) {
      if (deadline - System.nanoTime() < 0) {
        throw new AssertionError("in vain: " + what.get() + "; now " + decant.progress() + " and " + quickFix.progress()
            + '\n' + events());
      }
      pause(LOOK_AGAIN_NANOS);
    }
  }

  /** Ends sending, waits for the last orders, and ends both engines. Returns what is wrong. */
  List<String> finish() throws InterruptedException, IOException {
    awaitDelivery("the end of sending", decant.pause(), quickFix.pause());
    decant.close();
    quickFix.close();
    List<String> violations = new ArrayList<>(decant.unexpectedEvents());
    violations.addAll(quickFix.unexpectedEvents());
    for (Link link : Link.values()) {
      judge(link, decant, quickFix, violations);
      judge(link, quickFix, decant, violations);
    }
    return violations;
  }

  private static void judge(Link link, EngineProcess sender, EngineProcess receiver, List<String> violations)
      throws IOException {
    OrdersVerdict verdict = OrdersVerdict.of(sender.sent(link), receiver.received(link));
    String name = link + " from " + sender.name + ": ";
    System.out.println(name + verdict.summary());
    verdict.violations().forEach(text -> violations.add(name + text));
  }

  /** The last events of both engines. */
  String events() {
    return decant.events() + '\n' + quickFix.events();
  }

  @Override
  public void close() throws IOException {
    try (ports) {
      decant.close();
      quickFix.close();
      proxies.values().forEach(FaultProxy::close);
    }
  }
}
