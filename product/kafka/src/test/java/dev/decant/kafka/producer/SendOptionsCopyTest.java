package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.Header;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

class SendOptionsCopyTest {
  private static Header header(String key, String value) {
    return new Header(key, value.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void headersAreReadAsTheyWereAdded() {
    Headers headers = new Headers().addText("schlüssel", "größe").add("none", null).add("empty", new byte[0])
        .addText("long", "x".repeat(300));
    assertThat(headers).containsExactly(header("schlüssel", "größe"), new Header("none", null), header("empty", ""),
        header("long", "x".repeat(300)));
    Iterator<Header> none = new Headers().iterator();
    assertThat(none.hasNext()).isFalse();
    assertThatThrownBy(none::next).isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void headersOfOthersAreAddedBehindOnesOwn() {
    Headers headers = new Headers().addText("a", "1");
    assertThat(headers.addAll(new Headers().addText("b", "2").addText("c", "3")).count()).isEqualTo(3);
    assertThat(headers.addAll(headers)).containsExactly(header("a", "1"), header("b", "2"), header("c", "3"),
        header("a", "1"), header("b", "2"), header("c", "3"));
    assertThat(new Headers().addAll(List.of(header("a", "1")))).containsExactly(header("a", "1"));
  }

  @Test
  void aCopyHasAllThatTheOtherHasAndNothingElse() {
    SendOptions other = new SendOptions().partition(3).timestamp(1_234);
    other.headers().addText("a", "1");
    SendOptions copy = new SendOptions().partition(7);
    copy.headers().addText("b", "2");
    copy.copyOf(other);
    other.clear();
    assertThat(copy.partition()).isEqualTo(3);
    assertThat(copy.timestamp()).isEqualTo(1_234);
    assertThat(copy.headers()).containsExactly(header("a", "1"));
    assertThat(copy.copyOf(copy).headers()).containsExactly(header("a", "1"));
    assertThat(copy.copyOf(other).hasTimestamp()).isFalse();
    assertThat(copy.partition()).isEqualTo(Partitioner.STICKY);
    assertThat(copy.headers()).isEmpty();
  }
}
