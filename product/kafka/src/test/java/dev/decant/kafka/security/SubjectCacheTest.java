package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KerberosTicket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests when a client logs in again, with a clock of the test. */
@Timeout(60)
class SubjectCacheTest {
  private static final Duration LIFE = Duration.ofHours(10);

  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-24T08:00:00Z"));
  private final AtomicInteger logins = new AtomicInteger();
  private final Semaphore loggedIn = new Semaphore(0);
  private volatile boolean kdcIsAway;

  private final SubjectCache.Source source = () -> {
    logins.incrementAndGet();
    loggedIn.release();
    if (kdcIsAway) {
      throw new IOException("the KDC cannot be reached");
    }
    return subject(now.get(), now.get().plus(LIFE));
  };

  private static Subject subject(Instant begin, Instant end) {
    Subject subject = new Subject();
    subject.getPrivateCredentials().add(new KerberosTicket(new byte[1], new KerberosPrincipal("orders@EXAMPLE.COM"),
        new KerberosPrincipal("krbtgt/EXAMPLE.COM@EXAMPLE.COM"), new byte[16], 17, new boolean[32], Date.from(begin),
        Date.from(begin), Date.from(end), null, null));
    return subject;
  }

  private SubjectCache open(KerberosLogin.Builder builder) {
    return builder.ticketRenewJitter(0).build().cached(now::get);
  }

  private SubjectCache open() {
    return open(KerberosLogin.of(source));
  }

  private void pass(Duration time) {
    now.updateAndGet(instant -> instant.plus(time));
  }

  /** Waits for the ticket of the login that another thread makes. */
  private SubjectCache.Ticket next(SubjectCache subject, SubjectCache.Ticket known) throws Exception {
    assertThat(loggedIn.tryAcquire(20, TimeUnit.SECONDS)).as("a login").isTrue();
    SubjectCache.Ticket seen = subject.current();
    while (seen == known) {
      Thread.onSpinWait();
      seen = subject.current();
    }
    return seen;
  }

  @Test
  void oneLoginServesAllConnectionsUntilTheRenewWindow() throws Exception {
    SubjectCache subject = open();
    SubjectCache.Ticket first = subject.current();
    pass(LIFE.multipliedBy(79).dividedBy(100));
    assertThat(subject.current()).isSameAs(first);
    assertThat(logins).hasValue(1);
    loggedIn.drainPermits();

    pass(LIFE.dividedBy(100));
    assertThat(subject.current()).as("used as it is while the login goes on").isSameAs(first);
    SubjectCache.Ticket second = next(subject, first);
    assertThat(second.endsAt()).isAfter(first.endsAt());
    assertThat(second.subject()).as("exchanges keep the Subject that they began with").isNotSameAs(first.subject());
  }

  @Test
  void windowOfTheSettingsAndJitterMoveTheLogin() throws Exception {
    SubjectCache early = open(KerberosLogin.of(source).ticketRenewWindowFactor(0.5));
    assertThat(early.current().renewAt()).isEqualTo(now.get().plus(LIFE.dividedBy(2)));
    SubjectCache late = KerberosLogin.of(source).ticketRenewWindowFactor(0.5).ticketRenewJitter(0.1).build()
        .cached(now::get);
    assertThat(late.current().renewAt()).isBetween(now.get().plus(LIFE.dividedBy(2)),
        now.get().plus(LIFE.multipliedBy(6).dividedBy(10)));
  }

  @Test
  void ticketThatHasExpiredIsNotUsed() throws Exception {
    SubjectCache subject = open();
    SubjectCache.Ticket first = subject.current();
    pass(LIFE);
    assertThat(subject.current()).isNotSameAs(first);
    assertThat(logins).hasValue(2);
  }

  @Test
  void kdcThatIsAwayIsAskedOncePerPauseWhileTheTicketIsGood() throws Exception {
    SubjectCache subject = open();
    SubjectCache.Ticket first = subject.current();
    loggedIn.drainPermits();
    kdcIsAway = true;
    subject.refused(first.subject());
    pass(Duration.ofMinutes(2));
    for (int i = 0; i < 5; i++) {
      assertThat(subject.current()).isSameAs(first);
    }
    assertThat(logins).hasValue(2);

    pass(LIFE);
    assertThatThrownBy(subject::current).isInstanceOf(IOException.class).hasMessage("the KDC cannot be reached");
    kdcIsAway = false;
    assertThat(subject.current()).isNotSameAs(first);
  }

  /** A broker with a new key once refused the service ticket for its old one until the client's ticket ended. */
  @Test
  void ticketThatABrokerRefusesIsReplacedOncePerPause() throws Exception {
    SubjectCache subject = open(KerberosLogin.of(source).minTimeBeforeRelogin(Duration.ofSeconds(30)));
    SubjectCache.Ticket first = subject.current();
    subject.refused(first.subject());
    assertThat(subject.current()).as("no storm of logins").isSameAs(first);
    pass(Duration.ofSeconds(30));
    SubjectCache.Ticket second = subject.current();
    assertThat(second).isNotSameAs(first);
    pass(Duration.ofSeconds(60));
    assertThat(subject.current()).as("nobody refuses this one").isSameAs(second);
  }

  @Test
  void connectionsThatWaitForALoginShareItsFailure() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    SubjectCache subject = open(KerberosLogin.of(() -> {
      logins.incrementAndGet();
      asked.countDown();
      answered.await();
      throw new AuthenticationException("the KDC does not know the principal");
    }));
    AtomicReference<Throwable> second = new AtomicReference<>();
    Thread one = Thread.ofVirtual().start(() -> fail(subject));
    asked.await();
    Thread two = Thread.ofVirtual().start(() -> second.set(fail(subject)));
    while (two.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    answered.countDown();
    one.join();
    two.join();
    assertThat(second.get()).isInstanceOf(AuthenticationException.class).hasMessageContaining("does not know");
    assertThat(logins).hasValue(1);
  }

  /**
   * A connection that was closed once passed the failure of an earlier login on to the next one, which ended the
   * application.
   */
  @Test
  void abandonedLoginIsNoFailureForWaitingThreads() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    SubjectCache subject = open(KerberosLogin.of(() -> switch (logins.incrementAndGet()) {
      case 1 -> throw new AuthenticationException("the KDC does not know the principal");
      case 2 -> {
        asked.countDown();
        new CountDownLatch(1).await(); // waits for the interruption
        throw new AssertionError();
      }
      default -> subject(now.get(), now.get().plus(LIFE));
    }));
    assertThat(fail(subject)).isInstanceOf(AuthenticationException.class);
    AtomicReference<Throwable> first = new AtomicReference<>();
    Thread one = Thread.ofVirtual().start(() -> first.set(fail(subject)));
    asked.await();
    AtomicReference<Object> second = new AtomicReference<>();
    Thread two = Thread.ofVirtual().start(() -> second.set(outcome(subject)));
    while (two.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    one.interrupt();
    one.join();
    two.join();
    assertThat(first.get()).isInstanceOf(InterruptedException.class);
    assertThat(second.get()).isInstanceOf(SubjectCache.Ticket.class);
    assertThat(logins).hasValue(3);
  }

  private static Object outcome(SubjectCache subject) {
    try {
      return subject.current();
    } catch (Exception e) {
      return e;
    }
  }

  private static Throwable fail(SubjectCache subject) {
    try {
      return new AssertionError(subject.current().toString());
    } catch (Exception e) {
      return e;
    }
  }

  @Test
  void settingsOutOfBoundsAreRefused() {
    KerberosLogin.Builder builder = KerberosLogin.ticketCache();
    assertThatThrownBy(() -> builder.ticketRenewWindowFactor(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.ticketRenewWindowFactor(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.ticketRenewJitter(-0.1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.minTimeBeforeRelogin(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
