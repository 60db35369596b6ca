package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.security.auth.Subject;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.login.LoginException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests logins by modules of the application, with a clock of the test. */
@Timeout(60)
class JaasLoginTest {
  private static final String MODULE = TestLoginModule.class.getName();
  private static final String SECRET = "planted-heron-1d7f";
  private static final Duration LIFE = Duration.ofHours(1);

  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-26T08:00:00Z"));

  private static Map<String, String> options(String... more) {
    Map<String, String> options = new HashMap<>(Map.of("password", SECRET));
    for (int i = 0; i < more.length; i += 2) {
      options.put(more[i], more[i + 1]);
    }
    return options;
  }

  private static String password(Subject subject) {
    return subject.getPrivateCredentials(String.class).iterator().next();
  }

  private JaasLogin expiring(String counter) {
    return JaasLogin.module(MODULE, options("username", "alice", "count", counter))
        .lifetime(subject -> new JaasLogin.Lifetime(now.get(), now.get().plus(LIFE)))
        .refresh(LoginRefresh.builder().windowJitter(0).build()).build(now::get);
  }

  private static int count(Map<String, ?> counters, String name) {
    return counters.containsKey(name) ? Integer.parseInt(String.valueOf(counters.get(name))) : 0;
  }

  @Test
  void handlerOfTheApplicationIsAsked() throws Exception {
    JaasLogin login = JaasLogin.module(MODULE, options()).callbackHandler(callbacks -> {
      for (Callback callback : callbacks) {
        ((NameCallback) callback).setName("bob");
      }
    }).build();
    assertThat(login.subject().getPublicCredentials(String.class)).containsExactly("bob");
    assertThat(login.subject()).as("one login serves all").isSameAs(login.subject());
  }

  @Test
  void promptsAreRefusedByDefault() {
    assertThatThrownBy(() -> JaasLogin.module(MODULE, options()).build().subject())
        .isInstanceOf(AuthenticationException.class)
        .hasMessage("login by login module " + MODULE + " failed: javax.security.auth.login.LoginException: no name:"
            + " asks for a name or a password")
        .hasCauseInstanceOf(LoginException.class);
  }

  @Test
  void failureNamesTheModuleAndNoOption() {
    assertThatThrownBy(() -> JaasLogin.module(MODULE, options("fails", "yes")).build().subject())
        .isInstanceOf(AuthenticationException.class).hasMessageContaining(MODULE)
        .hasMessageContaining("the vault is sealed").satisfies(e -> assertThat(e).hasMessageNotContaining(SECRET));
    assertThatThrownBy(() -> JaasLogin.module("com.acme.NoSuchModule", options()).build().subject())
        .isInstanceOf(AuthenticationException.class).hasMessageContaining("com.acme.NoSuchModule");
    assertThatThrownBy(() -> JaasLogin.context("NoSuchContext").build().subject())
        .isInstanceOf(AuthenticationException.class).hasMessageContaining("login context NoSuchContext");
  }

  @Test
  @SuppressWarnings("ReferenceEquality") // another login has another subject, which may be equal
  void credentialsThatExpireAreReplacedAheadOfTheirEndAndOldLoginsAreLoggedOut() throws Exception {
    JaasLogin login = expiring("replaced");
    Subject first = login.subject();
    now.updateAndGet(then -> then.plus(LIFE.multipliedBy(79).dividedBy(100)));
    assertThat(login.subject()).isSameAs(first);
    now.updateAndGet(then -> then.plus(LIFE.dividedBy(100)));
    Subject second = login.subject();
    while (second == first) { // another thread logs in
      Thread.onSpinWait();
      second = login.subject();
    }
    assertThat(password(second)).isEqualTo(SECRET + "-2");
    assertThat(password(first)).as("an exchange may still have it").isEqualTo(SECRET + "-1");
    assertThat(count(TestLoginModule.LOGOUTS, "replaced")).isZero();

    now.updateAndGet(then -> then.plus(LIFE));
    assertThat(password(login.subject())).as("one that has expired is not used").isEqualTo(SECRET + "-3");
    assertThat(count(TestLoginModule.LOGOUTS, "replaced")).isEqualTo(1);
  }

  @Test
  void refusedCredentialsAreReplacedOnceInTenSecondsIfTheyExpire() throws Exception {
    JaasLogin login = expiring("refused");
    Subject first = login.subject();
    login.refused(first);
    assertThat(login.subject()).as("no storm of logins").isSameAs(first);
    now.updateAndGet(then -> then.plusSeconds(10));
    assertThat(password(login.subject())).isEqualTo(SECRET + "-2");

    JaasLogin lasting = JaasLogin.module(MODULE, options("username", "alice", "count", "lasting")).build(now::get);
    Subject only = lasting.subject();
    lasting.refused(only);
    now.updateAndGet(then -> then.plusSeconds(1_000));
    assertThat(lasting.subject()).as("another login would give the same").isSameAs(only);
  }

  /**
   * The life in seconds, the seconds after its beginning at which the credentials were issued, and the expected refresh
   * in seconds after its beginning.
   */
  @ParameterizedTest
  @CsvSource({"3600, 0, 2880", "1200, 0, 900", "600, 0, 300", "300, 0, 240", "3600, 2880, 2940", "3600, 3400, 3560"})
  void refreshIsDueAsKafkaSays(long life, long now, long expected) {
    Instant begin = Instant.ofEpochSecond(1_000_000);
    LoginRefresh rule = LoginRefresh.builder().windowJitter(0).build();
    assertThat(Duration.between(begin, rule.at(begin.plusSeconds(now), begin, begin.plusSeconds(life), 1)))
        .hasSeconds(expected);
  }

  @Test
  void jitterDelaysTheRefreshAndBoundsAreKafkas() {
    Instant begin = Instant.ofEpochSecond(1_000_000);
    LoginRefresh rule = LoginRefresh.builder().windowFactor(0.5).windowJitter(0.25).minPeriod(Duration.ZERO)
        .buffer(Duration.ZERO).build();
    assertThat(rule.at(begin, begin, begin.plusSeconds(1_000), 1)).isEqualTo(begin.plusSeconds(750));
    assertThatThrownBy(() -> LoginRefresh.builder().windowFactor(0.4)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LoginRefresh.builder().windowJitter(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LoginRefresh.builder().minPeriod(Duration.ofSeconds(901)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LoginRefresh.builder().buffer(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refreshIsReadByKafkasNames() {
    assertThat(new RefreshSettings(Map.of("sasl.login.refresh.window.factor", "0.6",
        "sasl.login.refresh.window.jitter", "0.1", "sasl.login.refresh.min.period.seconds", "30",
        "sasl.login.refresh.buffer.seconds", "40")).read()).hasToString("refresh after 0.6 to 0.7 of the life, PT30S"
            + " after the last one at the earliest, PT40S before the end at the latest");
    assertThatThrownBy(() -> new RefreshSettings(Map.of("sasl.login.refresh.buffer.seconds", "3601")).read())
        .hasMessage("sasl.login.refresh.buffer.seconds: \"3601\" is no number from 0 to 3600");
  }
}
