// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/combination.hpp>

#if IMBREX_HAS_CUDA
#include <imbrex/core/gpu/native_combinations.hpp>
#endif

namespace imbrex::detail {

#if IMBREX_HAS_CUDA
template <class T>
constinit const native_combination<T> known_combinations<T>::sum = &native_combinations<T>::sum;
template <class T>
constinit const native_combination<T> known_combinations<T>::product = &native_combinations<T>::product;
template <class T>
constinit const native_combination<T> known_combinations<T>::min = &native_combinations<T>::min;
template <class T>
constinit const native_combination<T> known_combinations<T>::max = &native_combinations<T>::max;
#else
template <class T>
constinit const native_combination<T> known_combinations<T>::sum = nullptr;
template <class T>
constinit const native_combination<T> known_combinations<T>::product = nullptr;
template <class T>
constinit const native_combination<T> known_combinations<T>::min = nullptr;
template <class T>
constinit const native_combination<T> known_combinations<T>::max = nullptr;
#endif

template struct known_combinations<int>;
template struct known_combinations<unsigned>;
template struct known_combinations<long>;
template struct known_combinations<unsigned long>;
template struct known_combinations<long long>;
template struct known_combinations<unsigned long long>;
template struct known_combinations<float>;
template struct known_combinations<double>;

}  // namespace imbrex::detail
