@NullMarked
package dev.decant.fake.junit;

import org.jspecify.annotations.NullMarked;
