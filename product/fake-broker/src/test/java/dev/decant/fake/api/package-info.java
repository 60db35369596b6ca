@NullMarked
package dev.decant.fake.api;

import org.jspecify.annotations.NullMarked;
