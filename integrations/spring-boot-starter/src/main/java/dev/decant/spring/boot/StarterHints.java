package dev.decant.spring.boot;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ReflectionUtils;

/** The methods of Boot that {@link BootFactories} calls by reflection, for native images. */
final class StarterHints implements RuntimeHintsRegistrar {
  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    Class<?> configuration = BootFactories.configuration(classLoader);
    if (configuration == null) {
      return;
    }
    ReflectionUtils.doWithLocalMethods(configuration, method -> {
      if (List.of(BootFactories.PRODUCERS, BootFactories.CONSUMERS).contains(method.getName())) {
        hints.reflection().registerMethod(method, ExecutableMode.INVOKE);
        for (Class<?> customizer : BootFactories.customizers(method)) {
          hints.reflection().registerType(customizer, MemberCategory.INVOKE_PUBLIC_METHODS);
        }
      }
    });
  }
}
