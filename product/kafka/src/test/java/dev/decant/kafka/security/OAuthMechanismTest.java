package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class OAuthMechanismTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final LoginRefresh AT_FOUR_FIFTHS = LoginRefresh.builder().windowJitter(0).buffer(Duration.ZERO)
      .build();
  private static final SaslPeer PEER = new SaslPeer("broker", 9092, true);

  private final AtomicReference<Instant> now = new AtomicReference<>(START);
  private final AtomicInteger fetched = new AtomicInteger();
  private final CountDownLatch refreshed = new CountDownLatch(2);
  private final TokenCache tokens = new TokenCache(this::fetch, AT_FOUR_FIFTHS, now::get);

  private OAuthToken fetch() {
    int number = fetched.incrementAndGet();
    refreshed.countDown();
    return OAuthToken.of("token-" + number, now.get(), now.get().plus(Duration.ofMinutes(10)));
  }

  private static String sent(SaslMechanism mechanism) throws Exception {
    return new String(mechanism.begin(PEER).initialResponse(), StandardCharsets.UTF_8).replace('\u0001', '|');
  }

  @Test
  void theMessageIsThatOfTheRfcWithKafkasExtensions() throws Exception {
    assertThat(sent(new OAuthMechanism(tokens, Map.of()))).isEqualTo("n,,|auth=Bearer token-1||");
    assertThat(sent(new OAuthMechanism(tokens, Map.of("logicalCluster", "lkc-1", "identityPoolId", "pool"))))
        .isEqualTo("n,,|auth=Bearer token-1|identityPoolId=pool|logicalCluster=lkc-1||");
  }

  @Test
  void connectionsShareATokenUntilItsRefreshIsDue() throws Exception {
    OAuthMechanism mechanism = new OAuthMechanism(tokens, Map.of());
    for (int i = 0; i < 10; i++) {
      sent(mechanism);
    }
    now.set(START.plusSeconds(479));
    assertThat(sent(mechanism)).contains("token-1");
    assertThat(fetched).hasValue(1);

    now.set(START.plusSeconds(480));
    assertThat(sent(mechanism)).as("while another is fetched").contains("token-1");
    refreshed.await();
    while (!sent(mechanism).contains("token-2")) {
      Thread.onSpinWait();
    }
    assertThat(fetched).hasValue(2);
  }

  @Test
  void anExpiredTokenIsNotSent() throws Exception {
    OAuthMechanism mechanism = new OAuthMechanism(tokens, Map.of());
    sent(mechanism);
    now.set(START.plusSeconds(596));
    assertThat(sent(mechanism)).contains("token-2");
  }

  @Test
  void aRefusedTokenIsFetchedAnewAndTheBrokerIsQuoted() throws Exception {
    OAuthMechanism mechanism = new OAuthMechanism(tokens, Map.of());
    SaslExchange exchange = mechanism.begin(PEER);
    exchange.initialResponse();
    byte[] error = "{\"status\":\"invalid_token\"}".getBytes(StandardCharsets.UTF_8);
    assertThat(exchange.respond(error)).containsExactly(1);
    assertThat(exchange.isComplete()).isFalse();
    assertThatThrownBy(() -> exchange.respond(new byte[0])).isInstanceOf(AuthenticationException.class)
        .hasMessageContaining("invalid_token").hasMessageNotContaining("token-1");
    assertThat(sent(mechanism)).contains("token-2");
  }

  @Test
  void manyConnectionsAtOnceFetchOnce() throws Exception {
    OAuthMechanism mechanism = new OAuthMechanism(tokens, Map.of());
    List<Thread> connections = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      connections.add(Thread.ofVirtual().start(() -> {
        try {
          sent(mechanism);
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      }));
    }
    for (Thread connection : connections) {
      connection.join();
    }
    assertThat(fetched).hasValue(1);
  }

  @Test
  void aProviderThatGivesATokenOfThePastIsNamed() {
    TokenCache late = new TokenCache(() -> OAuthToken.of("old", START.minusSeconds(60), START.minusSeconds(1)),
        AT_FOUR_FIFTHS, now::get);
    assertThatThrownBy(late::current).isInstanceOf(IOException.class).hasMessageContaining("2025-12-31T23:59:59Z");
  }

  @Test
  void tokensAndExtensionsAreChecked() {
    Instant end = START.plusSeconds(1);
    assertThatThrownBy(() -> OAuthToken.of("", START, end)).hasMessageContaining("0 bytes");
    assertThatThrownBy(() -> OAuthToken.of("sec\u0001ret", START, end)).hasMessageContaining("RFC 6750")
        .hasMessageNotContaining("sec");
    assertThatThrownBy(() -> OAuthToken.of("a", START, START)).hasMessageContaining("expires");
    assertThat(OAuthToken.of("s3cret", START, end).toString()).doesNotContain("s3cret");
    assertThatThrownBy(() -> new OAuthMechanism(tokens, Map.of("auth", "x"))).hasMessageContaining("extension auth");
    assertThatThrownBy(() -> new OAuthMechanism(tokens, Map.of("a", "x\u0001"))).hasMessageContaining("extension a");
  }
}
