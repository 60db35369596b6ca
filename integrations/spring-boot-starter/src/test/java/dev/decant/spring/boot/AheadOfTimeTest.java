package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.ExecutableHint;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/** Processing ahead of time, as the goal {@code process-aot} of Boot's plugin does it. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AheadOfTimeTest {
  @Test
  void beansAreGeneratedAndBootsMethodsAreNamedForNativeImages() throws Exception {
    InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
    DefaultGenerationContext generation = new DefaultGenerationContext(
        new ClassNameGenerator(ClassName.get("app", "Main")), files);
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      // in Boot's order: those of the starter come first
      context.register(DecantKafkaAutoConfiguration.class, DecantClientAutoConfiguration.class, Contexts.bootsKafka());
      new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
    }
    generation.writeGeneratedContent();

    assertThat(files.getGeneratedFiles(Kind.SOURCE).keySet())
        .anyMatch(name -> name.endsWith("DecantKafkaAutoConfiguration__BeanDefinitions.java"));
    assertThat(generation.getRuntimeHints().reflection().getTypeHint(Contexts.bootsKafka()))
        .satisfies(hint -> assertThat(hint.methods()).extracting(ExecutableHint::getName)
            .contains(BootFactories.PRODUCERS, BootFactories.CONSUMERS));
  }
}
