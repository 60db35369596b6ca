package dev.decant.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ListsTest {
  @Test
  void quickMethodsAndExceptionsAreMethodsOfTheLongReplay() {
    Set<TestMethod> all = Lists.methods().keySet();

    assertThat(all).hasSizeGreaterThan(500);
    assertThat(all).containsAll(Lists.quick()).containsAll(Lists.exceptions().keySet());
  }

  @Test
  void quickMethodsAreSome30AndNoneIsAnException() {
    List<TestMethod> quick = Lists.quick();

    assertThat(quick).hasSizeBetween(25, 40).doesNotHaveDuplicates()
        .noneMatch(Lists.exceptions()::containsKey);
  }

  @Test
  void everyExceptionHasAReason() {
    assertThat(Lists.exceptions().values()).allSatisfy(reason -> assertThat(reason).isNotBlank());
  }

  @Test
  void whatFailsOnFakeClustersIsOfTheLongReplayAndHasAReason() {
    Set<String> classes = new HashSet<>();
    Lists.methods().keySet().forEach(method -> classes.add(method.className()));

    assertThat(classes).containsAll(Lists.notOnFake().keySet());
    assertThat(Lists.methods().keySet()).containsAll(Lists.failuresOnFake().keySet())
        .containsAll(Lists.failuresOfDecantOnFake().keySet());
    assertThat(Lists.notOnFake().values()).allSatisfy(reason -> assertThat(reason).isNotBlank());
    assertThat(Lists.failuresOnFake().values()).allSatisfy(reason -> assertThat(reason).isNotBlank());
  }

  @Test
  void theBaselineIsOfMethodsOfTheLongReplay() {
    Set<String> known = new HashSet<>();
    Lists.methods().keySet().forEach(method -> known.add(method.line()));

    assertThat(Lists.baseline().keySet()).hasSizeGreaterThan(300)
        .allSatisfy(key -> assertThat(known).contains(key.substring(0, key.indexOf(' '))));
  }
}
