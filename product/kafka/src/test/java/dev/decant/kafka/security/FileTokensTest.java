package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class FileTokensTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);

  @TempDir
  Path dir;

  private Path write(String content) throws IOException {
    Path next = Files.writeString(dir.resolve("next"), content);
    return Files.move(next, dir.resolve("token"), StandardCopyOption.ATOMIC_MOVE);
  }

  private static String jwt(String name, long issued, long expires) {
    String claims = "{\"sub\":\"" + name + "\",\"iat\":" + issued + ",\"exp\":" + expires + "}";
    return "e30." + Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(StandardCharsets.UTF_8))
        + ".c2ln";
  }

  private static String value(OAuthToken token) {
    return new String(token.value(), StandardCharsets.US_ASCII);
  }

  @Test
  void aTokenIsReadAgainWhenItsFileChanges() throws Exception {
    long now = NOW.getEpochSecond();
    String first = jwt("first", now - 10, now + 3600);
    String second = jwt("second", now, now + 3600);
    TokenCache cache = new TokenCache(new FileTokens(write(first + "\n"), () -> NOW), LoginRefresh.DEFAULT, () -> NOW);
    OAuthToken token = cache.current();
    assertThat(value(token)).isEqualTo(first);
    assertThat(token.issuedAt()).isEqualTo(NOW.minusSeconds(10));
    assertThat(token.expiresAt()).isEqualTo(NOW.plusSeconds(3600));
    assertThat(cache.current()).as("not read again").isSameAs(token);
    write(second);
    assertThat(value(cache.current())).isEqualTo(second);
  }

  @Test
  void aFileThatIsBrokenOrGoneLeavesTheTokenBeforeInUse() throws Exception {
    long now = NOW.getEpochSecond();
    String first = jwt("first", now, now + 3600);
    TokenCache cache = new TokenCache(new FileTokens(write(first), () -> NOW), LoginRefresh.DEFAULT, () -> NOW);
    cache.current();
    write("half a tok");
    assertThat(value(cache.current())).isEqualTo(first);
    Files.delete(dir.resolve("token"));
    assertThat(value(cache.current())).isEqualTo(first);
  }

  @Test
  void whatIsWrongWithAFileIsNamedAndItsContentIsNot() throws Exception {
    FileTokens tokens = new FileTokens(dir.resolve("token"), () -> NOW);
    assertThatThrownBy(tokens::fetch).isInstanceOf(IOException.class).hasMessageContaining("does not exist");
    write(" \n");
    assertThatThrownBy(tokens::fetch).isInstanceOf(IOException.class).hasMessageContaining("is empty");
    write("x".repeat(70_000));
    assertThatThrownBy(tokens::fetch).isInstanceOf(IOException.class).hasMessageContaining("more than 65536 bytes");
    write("planted");
    assertThatThrownBy(tokens::fetch).isInstanceOf(IOException.class).hasMessageContaining("is no JWT")
        .hasMessageContaining(dir.resolve("token").toString()).hasMessageNotContaining("planted");
    write(jwt("planted", 1, 1_799_999_999));
    assertThatThrownBy(tokens::fetch).isInstanceOf(IOException.class)
        .hasMessageContaining("expired at 2027-01-15T07:59:59Z");
    assertThat(OAuthTokens.file(dir.resolve("token")).toString()).isEqualTo("token of " + dir.resolve("token"));
  }

  /**
   * Twenty connections once called an endpoint that was down one after the other, each for as long as its retries take.
   */
  @Test
  void connectionsThatWaitForTheSameFetchShareItsFailure() throws Exception {
    AtomicInteger fetches = new AtomicInteger();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch fail = new CountDownLatch(1);
    TokenCache cache = new TokenCache(() -> {
      fetches.incrementAndGet();
      begun.countDown();
      fail.await();
      throw new IOException("down");
    }, LoginRefresh.DEFAULT, () -> NOW);
    FutureTask<OAuthToken> first = new FutureTask<>(cache::current);
    FutureTask<OAuthToken> second = new FutureTask<>(cache::current);
    Thread.ofVirtual().start(first);
    begun.await();
    Thread waiting = Thread.ofPlatform().start(second);
    while (waiting.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    fail.countDown();
    for (FutureTask<OAuthToken> connection : List.of(first, second)) {
      assertThatThrownBy(() -> connection.get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
          .hasMessageContaining("down");
    }
    assertThat(fetches).hasValue(1);
    assertThatThrownBy(cache::current).as("a later connection asks again").hasMessageContaining("down");
    assertThat(fetches).hasValue(2);
  }
}
